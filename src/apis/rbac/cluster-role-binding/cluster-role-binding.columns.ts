import type { TableColumn } from '../../../registry/resource-definition.js';
import { bindingColumns } from '../binding-columns.js';
import type { ClusterRoleBinding } from './cluster-role-binding.js';

/** What kubectl prints of cluster role bindings; the descriptions are the original's, since clients show them. */
export const clusterRoleBindingColumns: readonly TableColumn<ClusterRoleBinding>[] = bindingColumns(
  'clusterRoleBinding',
  'RoleRef can only reference a ClusterRole in the global namespace. ' +
    'If the RoleRef cannot be resolved, the Authorizer must return an error.',
);
