import type { BindingObject } from '../binding-defaults.js';

/** The hub type of cluster role bindings: who has a cluster role everywhere. It has the shape of v1. */
export type ClusterRoleBinding = BindingObject;
