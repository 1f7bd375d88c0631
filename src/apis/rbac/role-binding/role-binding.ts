import type { BindingObject } from '../binding-defaults.js';

/** The hub type of role bindings: who has a role in one namespace. It has the shape of v1. */
export type RoleBinding = BindingObject;
