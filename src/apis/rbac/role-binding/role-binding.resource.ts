import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import type { ResourceDefinition, ResourceVersionDefinition, TableColumn } from '../../../registry/resource/resource-definition.js';
import type { Strategy } from '../../../registry/resource/strategy.js';
import { bindingColumns, dropEmptySubjects, setBindingDefaults } from '../binding-object.js';
import { validateBinding, validateBindingUpdate } from '../role-binding.validation.js';
import type { RoleBinding } from './role-binding.schema.js';
import { roleBindingV1Schema } from './role-binding.schema.js';

/** The strategy of role bindings (kubernetes pkg/registry/rbac/rolebinding). */
const roleBindingStrategy: Strategy<RoleBinding> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutUnsafeDeletion: true,
  prepareForCreate: dropEmptySubjects,
  prepareForUpdate: dropEmptySubjects,
  validate: (next) => validateBinding(next, true),
  validateUpdate: (next, old) => validateBindingUpdate(next, old, true),
};

/** The columns that kubectl prints for role bindings. The descriptions are upstream's, since clients show them. */
const roleBindingColumns: readonly TableColumn<RoleBinding>[] = bindingColumns(
  'roleBinding',
  'roleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. ' +
    'If the RoleRef cannot be resolved, the Authorizer must return an error.',
);

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
