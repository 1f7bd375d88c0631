import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import type { ResourceDefinition, ResourceVersionDefinition, TableColumn } from '../../../registry/resource/resource-definition.js';
import type { Strategy } from '../../../registry/resource/strategy.js';
import { bindingColumns, dropEmptySubjects, setBindingDefaults } from '../binding-object.js';
import { validateBinding, validateBindingUpdate } from '../role-binding.validation.js';
import type { ClusterRoleBinding } from './cluster-role-binding.schema.js';
import { clusterRoleBindingV1Schema } from './cluster-role-binding.schema.js';

/** The strategy of cluster role bindings (kubernetes pkg/registry/rbac/clusterrolebinding). */
const clusterRoleBindingStrategy: Strategy<ClusterRoleBinding> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutUnsafeDeletion: true,
  prepareForCreate: dropEmptySubjects,
  prepareForUpdate: dropEmptySubjects,
  validate: (next) => validateBinding(next, false),
  validateUpdate: (next, old) => validateBindingUpdate(next, old, false),
};

/** The columns that kubectl prints for cluster role bindings. The descriptions are upstream's, since clients show them. */
const clusterRoleBindingColumns: readonly TableColumn<ClusterRoleBinding>[] = bindingColumns(
  'clusterRoleBinding',
  'roleRef can only reference a ClusterRole in the global namespace. ' +
    'If the RoleRef cannot be resolved, the Authorizer must return an error.',
);

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
