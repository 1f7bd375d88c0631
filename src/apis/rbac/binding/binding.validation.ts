import { type FieldError, invalid, notSupported, required } from '../../../apimachinery/errors/field-error.js';
import { isPathSegmentName, nameIsDnsSubdomain } from '../../../apimachinery/validation/names.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import type { BindingObject, RoleRef, Subject } from '../../../auth/authorization/rbac.schema.js';
import { validateRbacMetadata } from '../../core/core-metadata.validation.js';

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

/**
 * The rules for bindings of both kinds (kubernetes pkg/apis/rbac/validation). That names are required is declared by upstream, and declared
 * rules come after all others (pkg/apis/rbac/v1/zz_generated.validations.go).
 */
export function validateBinding(binding: BindingObject, namespaced: boolean): FieldError[] {
  return [...validateParts(binding, namespaced), ...requireSubjectNames(binding), ...requireRoleName(binding)];
}

/** The same for an update. A binding's role is immutable, which is declared too and replaces the declared rules for a role that changes. */
export function validateBindingUpdate(next: BindingObject, old: BindingObject, namespaced: boolean): FieldError[] {
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
