import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { clusterRoleBindingColumns } from './cluster-role-binding.columns.js';
import type { ClusterRoleBinding } from './cluster-role-binding.js';
import { clusterRoleBindingStrategy } from './cluster-role-binding.strategy.js';
import { clusterRoleBindingV1Schema } from './v1/cluster-role-binding-v1.schema.js';
import { setBindingDefaults } from '../binding-defaults.js';
/** ClusterRoleBinding in rbac.authorization.k8s.io/v1: the hub's own shape. */
export const clusterRoleBindingV1: ResourceVersionDefinition<ClusterRoleBinding> = {
  name: 'v1',
  schema: clusterRoleBindingV1Schema,
  example: {
    metadata: { name: 'example' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'example' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  },
  setDefaults: setBindingDefaults,
};

export const clusterRoleBindingDefinition: ResourceDefinition<ClusterRoleBinding> = {
  group: RBAC_GROUP,
  resource: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  kind: 'ClusterRoleBinding',
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  versions: [clusterRoleBindingV1],
  storageVersion: clusterRoleBindingV1,
  strategy: clusterRoleBindingStrategy,
  columns: clusterRoleBindingColumns,
};
