import { ageColumn, nameColumn } from '../../../registry/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource-definition.js';
import type { Namespace } from './namespace.js';

/** What kubectl prints of namespaces. */
export const namespaceColumns: readonly TableColumn<Namespace>[] = [
  nameColumn,
  {
    name: 'Status',
    type: 'string',
    format: '',
    description: 'The status of the namespace',
    priority: 0,
    cell: ({ status }) => status?.phase ?? '',
  },
  ageColumn,
];
