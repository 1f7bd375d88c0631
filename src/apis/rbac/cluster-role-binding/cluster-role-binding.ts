import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { clusterRoleBindingV1Schema } from './v1/cluster-role-binding-v1.schema.js';

/** The hub type of cluster role bindings, which grant a cluster role in all namespaces. It has the shape of v1. */
export type ClusterRoleBinding = TypeOf<typeof clusterRoleBindingV1Schema>;
