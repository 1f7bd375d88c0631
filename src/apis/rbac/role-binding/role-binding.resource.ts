import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { roleBindingColumns } from './role-binding.columns.js';
import type { RoleBinding } from './role-binding.js';
import { roleBindingStrategy } from './role-binding.strategy.js';
import { roleBindingV1Schema } from './v1/role-binding-v1.schema.js';
import { setBindingDefaults } from '../binding-defaults.js';
/** RoleBinding in rbac.authorization.k8s.io/v1: the hub's own shape. */
export const roleBindingV1: ResourceVersionDefinition<RoleBinding> = {
  name: 'v1',
  schema: roleBindingV1Schema,
  example: {
    metadata: { name: 'example' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'example' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  },
  setDefaults: setBindingDefaults,
};

export const roleBindingDefinition: ResourceDefinition<RoleBinding> = {
  group: RBAC_GROUP,
  resource: 'rolebindings',
  singular: 'rolebinding',
  kind: 'RoleBinding',
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  versions: [roleBindingV1],
  storageVersion: roleBindingV1,
  strategy: roleBindingStrategy,
  columns: roleBindingColumns,
};
