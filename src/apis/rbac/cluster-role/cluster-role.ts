import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { clusterRoleV1Schema } from './v1/cluster-role-v1.schema.js';

/** The hub type of cluster roles: rights in all namespaces, or in one if a RoleBinding references the role. It has the shape of v1. */
export type ClusterRole = TypeOf<typeof clusterRoleV1Schema>;
