import type { TableColumn } from '../../../registry/resource/resource-definition.js';
import { bindingColumns } from '../binding-columns.js';
import type { ClusterRoleBinding } from './cluster-role-binding.js';

/** The columns that kubectl prints for cluster role bindings. The descriptions are upstream's, since clients show them. */
export const clusterRoleBindingColumns: readonly TableColumn<ClusterRoleBinding>[] = bindingColumns(
  'clusterRoleBinding',
  'roleRef can only reference a ClusterRole in the global namespace. ' +
    'If the RoleRef cannot be resolved, the Authorizer must return an error.',
);
