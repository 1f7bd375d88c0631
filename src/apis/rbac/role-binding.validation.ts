import type { FieldError } from '../../apimachinery/errors/field-error.js';
import { invalid, notSupported, required } from '../../apimachinery/errors/field-error.js';
import { nameIsDnsSubdomain } from '../../apimachinery/validation/name-validator.js';
import { isPathSegmentName } from '../../apimachinery/validation/path-segment-name.js';
import { RBAC_GROUP } from '../../auth/authorization/rbac/rbac-authorizer.js';
import type { RoleRef, Subject } from '../../auth/authorization/rbac.schema.js';
import { validateCoreMetadataUpdate } from '../core/core-metadata.validation.js';
import type { BindingObject } from './binding-defaults.js';
import { validateRbacMetadata } from './rbac-metadata.validation.js';

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

/** The rules for bindings of both kinds (kubernetes pkg/apis/rbac/validation). */
export function validateBinding(binding: BindingObject, namespaced: boolean): FieldError[] {
  const { roleRef, subjects = [] } = binding;
  return [
    ...validateRbacMetadata(binding, namespaced),
    ...validateRoleRef(roleRef, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']),
    ...subjects.flatMap((subject, at) => validateSubject(subject, namespaced, `subjects[${at}]`)),
  ];
}

export interface BindingChange {
  readonly namespaced: boolean;
  /** The errors of changed metadata. */
  readonly changes: readonly FieldError[];
}

/** The same for an update; a binding's role is immutable. */
export function validateBindingUpdate(next: BindingObject, old: BindingObject, { namespaced, changes }: BindingChange): FieldError[] {
  return [
    ...validateBinding(next, namespaced),
    ...validateCoreMetadataUpdate(next.metadata, changes),
    ...validateRoleRefUpdate(next.roleRef, old.roleRef),
  ];
}

function validateRoleRefUpdate(next: RoleRef | undefined, old: RoleRef | undefined): FieldError[] {
  const [a, b] = [internalRef(next), internalRef(old)];
  if (a.APIGroup === b.APIGroup && a.Kind === b.Kind && a.Name === b.Name) return [];
  return [invalid('roleRef', a, 'cannot change roleRef')];
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
    ...(Name === '' ? [required('roleRef.name')] : isPathSegmentName(Name, false).map((message) => invalid('roleRef.name', Name, message))),
  ];
}

function validateSubject(subject: Subject, namespaced: boolean, path: string): FieldError[] {
  const { kind = '', name = '', apiGroup = '' } = subject;
  const noName = name === '' ? [required(`${path}.name`)] : [];
  if (kind === 'ServiceAccount') return [...noName, ...validateServiceAccount(subject, namespaced, path)];
  if (!SUBJECT_KINDS.includes(kind)) return [...noName, notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  return apiGroup === RBAC_GROUP ? noName : [...noName, notSupported(`${path}.apiGroup`, apiGroup, [RBAC_GROUP])];
}

function validateServiceAccount({ name = '', apiGroup = '', namespace = '' }: Subject, namespaced: boolean, path: string): FieldError[] {
  const badName = name === '' ? [] : nameIsDnsSubdomain(name, false).map((message) => invalid(`${path}.name`, name, message));
  return [
    ...badName,
    ...(apiGroup === '' ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [''])]),
    ...(namespaced || namespace !== '' ? [] : [required(`${path}.namespace`)]),
  ];
}
