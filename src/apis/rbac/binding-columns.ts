import { ageColumn, nameColumn } from '../../registry/resource/metadata-columns.js';
import type { TableColumn } from '../../registry/resource/resource-definition.js';
import type { Subject } from '../../auth/authorization/rbac.schema.js';
import type { BindingObject } from './binding-defaults.js';

/** The columns of both kinds of bindings (kubernetes pkg/printers/internalversion). */
export function bindingColumns(kind: string, roleDescription: string): readonly TableColumn<BindingObject>[] {
  const wide = (name: string, text: (subject: Subject) => string, subjectKind: string): TableColumn<BindingObject> => ({
    name,
    type: 'string',
    format: '',
    description: `${name} in the ${kind}`,
    priority: 1,
    cell: ({ subjects = [] }) =>
      subjects
        .filter((subject) => subject.kind === subjectKind)
        .map(text)
        .join(', '),
  });
  return [
    nameColumn,
    {
      name: 'Role',
      type: 'string',
      format: '',
      description: roleDescription,
      priority: 0,
      cell: ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`,
    },
    ageColumn,
    wide('Users', ({ name }) => name, 'User'),
    wide('Groups', ({ name }) => name, 'Group'),
    wide('ServiceAccounts', ({ name, namespace = '' }) => `${namespace}/${name}`, 'ServiceAccount'),
  ];
}
