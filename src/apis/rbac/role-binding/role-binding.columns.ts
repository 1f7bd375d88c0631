import type { TableColumn } from '../../../registry/resource/resource-definition.js';
import { bindingColumns } from '../binding-columns.js';
import type { RoleBinding } from './role-binding.js';

/** The columns that kubectl prints for role bindings. The descriptions are upstream's, since clients show them. */
export const roleBindingColumns: readonly TableColumn<RoleBinding>[] = bindingColumns(
  'roleBinding',
  'roleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. ' +
    'If the RoleRef cannot be resolved, the Authorizer must return an error.',
);
