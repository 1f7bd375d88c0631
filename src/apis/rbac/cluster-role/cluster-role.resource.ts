import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { clusterRoleColumns } from './cluster-role.columns.js';
import type { ClusterRole } from './cluster-role.js';
import { clusterRoleStrategy } from './cluster-role.strategy.js';
import { clusterRoleV1Schema } from './v1/cluster-role-v1.schema.js';

/** ClusterRole in rbac.authorization.k8s.io/v1: the hub's own shape. */
export const clusterRoleV1: ResourceVersionDefinition<ClusterRole> = {
  name: 'v1',
  schema: clusterRoleV1Schema,
  example: {
    metadata: { name: 'example' },
    rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] }],
  },
};

export const clusterRoleDefinition: ResourceDefinition<ClusterRole> = {
  group: RBAC_GROUP,
  resource: 'clusterroles',
  singular: 'clusterrole',
  kind: 'ClusterRole',
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  versions: [clusterRoleV1],
  storageVersion: clusterRoleV1,
  strategy: clusterRoleStrategy,
  columns: clusterRoleColumns,
};
