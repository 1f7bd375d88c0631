import { ageColumn, nameColumn } from '../../../registry/resource/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource/resource-definition.js';
import type { Namespace } from './namespace.js';

/** The columns that kubectl prints for namespaces. */
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
