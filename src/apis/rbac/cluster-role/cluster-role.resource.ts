import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { createdAtColumn, nameColumn } from '../../../registry/resource/metadata-columns.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import type { ClusterRole } from './cluster-role.schema.js';
import { clusterRoleV1Schema } from './cluster-role.schema.js';
import { clusterRoleStrategy } from './cluster-role.strategy.js';

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
  columns: [nameColumn, createdAtColumn],
};
