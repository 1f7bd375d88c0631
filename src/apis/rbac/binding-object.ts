import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { RoleRef, Subject } from '../../auth/authorization/rbac.schema.js';
import { RBAC_GROUP } from '../../auth/authorization/rbac/rbac-authorizer.js';
import { ageColumn, nameColumn } from '../../registry/resource/metadata-columns.js';
import type { TableColumn } from '../../registry/resource/resource-definition.js';

/** The shape that RoleBindings and ClusterRoleBindings share. */
export type BindingObject = KubeObject & { subjects?: readonly Subject[]; roleRef: RoleRef };

/** Fills in the API groups of roles, users and groups (kubernetes pkg/apis/rbac/v1/defaults.go). */
export function setBindingDefaults(binding: BindingObject): void {
  const { roleRef, subjects } = binding;
  if (roleRef.apiGroup === '') binding.roleRef = { ...roleRef, apiGroup: RBAC_GROUP };
  if (subjects?.some(lacksGroup)) binding.subjects = subjects.map((each) => (lacksGroup(each) ? { ...each, apiGroup: RBAC_GROUP } : each));
}

function lacksGroup({ kind, apiGroup }: Subject): boolean {
  return !apiGroup && (kind === 'User' || kind === 'Group');
}

/** Drops empty lists, as upstream's protobuf does. */
export function dropEmptySubjects(binding: BindingObject): void {
  if (binding.subjects?.length === 0) delete binding.subjects;
}

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
