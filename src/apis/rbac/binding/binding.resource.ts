import { objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import { field, list, requiredField, struct } from '../../../apimachinery/schema/struct-type.js';
import { type BindingObject, type Subject, RBAC_V1, roleRefSchema, subjectSchema } from '../../../auth/authorization/rbac.schema.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import {
  type ResourceDefinition,
  ageColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { validateBinding, validateBindingUpdate } from './binding.validation.js';

/** Bindings that grant a role in one namespace. */
export const roleBindingDefinition = bindingDefinition({
  kind: 'RoleBinding',
  namespaced: true,
  description: 'Grants the permissions of a Role or ClusterRole in one namespace.',
  roleRef: 'The role in the namespace of the binding, or a cluster role. It cannot be changed.',
  roleColumn: 'roleRef can reference a Role in the current namespace or a ClusterRole in the global namespace.',
  columnsOf: 'roleBinding',
});

/** Bindings that grant a cluster role in all namespaces. */
export const clusterRoleBindingDefinition = bindingDefinition({
  kind: 'ClusterRoleBinding',
  namespaced: false,
  description: 'Grants the permissions of a ClusterRole in the whole cluster.',
  roleRef: 'The role. It cannot be changed.',
  roleColumn: 'roleRef can only reference a ClusterRole in the global namespace.',
  columnsOf: 'clusterRoleBinding',
});

interface BindingKind {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly description: string;
  /** The description of the field. */
  readonly roleRef: string;
  /** Descriptions of columns are upstream's, since clients show them (kubernetes pkg/printers/internalversion). */
  readonly roleColumn: string;
  readonly columnsOf: string;
}

/** A definition of bindings (kubernetes pkg/registry/rbac/rolebinding and clusterrolebinding). */
function bindingDefinition(options: BindingKind): ResourceDefinition<BindingObject> {
  const { kind, namespaced } = options;
  const schema = struct(`${RBAC_V1}.${kind}`, options.description, [
    ...objectFields(),
    field('subjects', 2, list(subjectSchema), 'omitEmpty', 'Subjects that get the permissions.'),
    requiredField('roleRef', 3, roleRefSchema, options.roleRef),
  ]);
  const example = {
    metadata: { name: 'example' },
    roleRef: { apiGroup: RBAC_GROUP, kind: namespaced ? 'Role' : 'ClusterRole', name: 'example' },
    subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name: 'alice' }],
  };
  const wide = (name: string, subjectKind: string, text: (subject: Subject) => string) =>
    textColumn<BindingObject>(
      name,
      `${name} in the ${options.columnsOf}`,
      ({ subjects = [] }) => subjects.flatMap((each) => (each.kind === subjectKind ? [text(each)] : [])).join(', '),
      1,
    );
  return defineResource<BindingObject>({
    group: RBAC_GROUP,
    kind,
    namespaced,
    versions: [{ name: 'v1', schema, example, setDefaults }],
    strategy: {
      allowCreateOnUpdate: true,
      allowUnconditionalUpdate: true,
      withoutUnsafeDeletion: true,
      prepareForCreate: dropEmptySubjects,
      prepareForUpdate: dropEmptySubjects,
      validate: (next) => validateBinding(next, namespaced),
      validateUpdate: (next, old) => validateBindingUpdate(next, old, namespaced),
    },
    columns: [
      nameColumn,
      textColumn(
        'Role',
        `${options.roleColumn} If the RoleRef cannot be resolved, the Authorizer must return an error.`,
        ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`,
      ),
      ageColumn,
      wide('Users', 'User', ({ name }) => name),
      wide('Groups', 'Group', ({ name }) => name),
      wide('ServiceAccounts', 'ServiceAccount', ({ name, namespace = '' }) => `${namespace}/${name}`),
    ],
  });
}

/** Fills in the API groups of roles, users and groups (kubernetes pkg/apis/rbac/v1/defaults.go). */
function setDefaults(binding: BindingObject): void {
  const { roleRef, subjects } = binding;
  if (roleRef.apiGroup === '') binding.roleRef = { ...roleRef, apiGroup: RBAC_GROUP };
  if (subjects?.some(lacksGroup)) binding.subjects = subjects.map((each) => (lacksGroup(each) ? { ...each, apiGroup: RBAC_GROUP } : each));
}

function lacksGroup({ kind, apiGroup }: Subject): boolean {
  return !apiGroup && (kind === 'User' || kind === 'Group');
}

/** Drops empty lists, as upstream's protobuf does. */
function dropEmptySubjects(binding: BindingObject): void {
  if (binding.subjects?.length === 0) delete binding.subjects;
}
