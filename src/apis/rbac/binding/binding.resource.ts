import { type FieldError, invalid, notSupported, required } from '../../../apimachinery/errors/field-error.js';
import { objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import { field, list, requiredField, struct } from '../../../apimachinery/schema/struct-type.js';
import { isPathSegmentName, nameIsDnsSubdomain } from '../../../apimachinery/validation/names.js';
import {
  type BindingObject,
  type RoleRef,
  type Subject,
  RBAC_V1,
  roleRefSchema,
  subjectSchema,
} from '../../../auth/authorization/rbac.schema.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import {
  type ResourceDefinition,
  ageColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { validateRbacMetadata } from '../../core/core-metadata.validation.js';

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

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

/**
 * The rules for bindings of both kinds (kubernetes pkg/apis/rbac/validation). That names are required is declared by upstream, and declared
 * rules come after all others (pkg/apis/rbac/v1/zz_generated.validations.go).
 */
function validateBinding(binding: BindingObject, namespaced: boolean): FieldError[] {
  return [...validateParts(binding, namespaced), ...requireSubjectNames(binding), ...requireRoleName(binding)];
}

/** The same for an update. A binding's role is immutable, which is declared too and replaces the declared rules for a role that changes. */
function validateBindingUpdate(next: BindingObject, old: BindingObject, namespaced: boolean): FieldError[] {
  const [a, b] = [internalRef(next.roleRef), internalRef(old.roleRef)];
  if (a.APIGroup === b.APIGroup && a.Kind === b.Kind && a.Name === b.Name) return validateBinding(next, namespaced);
  return [
    ...validateParts(next, namespaced, requireRoleName(next)),
    invalid('roleRef', a, 'field is immutable'),
    ...requireSubjectNames(next),
  ];
}

function validateParts(binding: BindingObject, namespaced: boolean, ofRoleName: readonly FieldError[] = []): FieldError[] {
  const { roleRef, subjects = [] } = binding;
  return [
    ...validateRbacMetadata(binding.metadata, namespaced),
    ...validateRoleRef(roleRef, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']),
    ...ofRoleName,
    ...subjects.flatMap((subject, at) => validateSubject(subject, namespaced, `subjects[${at}]`)),
  ];
}

function requireSubjectNames({ subjects = [] }: BindingObject): FieldError[] {
  return subjects.flatMap(({ name = '' }, at) => (name === '' ? [required(`subjects[${at}].name`)] : []));
}

function requireRoleName({ roleRef }: BindingObject): FieldError[] {
  return internalRef(roleRef).Name === '' ? [required('roleRef.name')] : [];
}

/** The value in the message: Go's internal type has no JSON names. */
function internalRef(ref: RoleRef | undefined) {
  return { APIGroup: ref?.apiGroup ?? '', Kind: ref?.kind ?? '', Name: ref?.name ?? '' };
}

function validateRoleRef(ref: RoleRef | undefined, kinds: readonly string[]): FieldError[] {
  const { APIGroup, Kind, Name } = internalRef(ref);
  return [
    ...(APIGroup === RBAC_GROUP ? [] : [notSupported('roleRef.apiGroup', APIGroup, [RBAC_GROUP])]),
    ...(kinds.includes(Kind) ? [] : [notSupported('roleRef.kind', Kind, kinds)]),
    ...isPathSegmentName(Name, false).map((message) => invalid('roleRef.name', Name, message)),
  ];
}

function validateSubject(subject: Subject, namespaced: boolean, path: string): FieldError[] {
  const { kind = '', apiGroup = '' } = subject;
  if (kind === 'ServiceAccount') return validateServiceAccount(subject, namespaced, path);
  if (!SUBJECT_KINDS.includes(kind)) return [notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  return apiGroup === RBAC_GROUP ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [RBAC_GROUP])];
}

function validateServiceAccount({ name = '', apiGroup = '', namespace = '' }: Subject, namespaced: boolean, path: string): FieldError[] {
  const badName = name === '' ? [] : nameIsDnsSubdomain(name, false).map((message) => invalid(`${path}.name`, name, message));
  return [
    ...badName,
    ...(apiGroup === '' ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [''])]),
    ...(namespaced || namespace !== '' ? [] : [required(`${path}.namespace`)]),
  ];
}
