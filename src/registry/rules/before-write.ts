import type { FieldError } from '../../apimachinery/errors/field-error.js';
import { invalidObject } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../apimachinery/meta/object-meta.schema.js';
import { isPathSegmentName } from '../../apimachinery/validation/names.js';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../apimachinery/validation/object-meta.js';
import { timestamp } from '../objects/object-values.js';
import { fromHub } from '../objects/stored-codec.js';
import type { RequestContext, UserInfo } from '../resource/request-context.js';
import type { ResourceVersionDefinition, Strategy } from '../resource/resource-definition.js';
import type { ResourceScope } from '../scope/resource-scope.js';

/** Removes the fields that only the server sets; what the client sent in them is ignored. */
export function wipeSystemFields(object: KubeObject): void {
  const { metadata } = object;
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Sets uid and creationTimestamp of a new object. */
export function fillSystemFields(scope: ResourceScope, object: KubeObject, user: UserInfo): void {
  object.metadata.uid = scope.newUid(user);
  object.metadata.creationTimestamp = timestamp(scope.now());
}

/**
 * Prepares and validates a new object, in upstream's order: errors of the resource's own validation hide those of the common metadata check
 * (apiserver pkg/registry/rest/create.go BeforeCreate). Throws the 422.
 */
export function beforeCreate<T extends KubeObject>(scope: ResourceScope<T>, version: ResourceVersionDefinition, next: T): void {
  const { strategy, namespaced } = scope.definition;
  strategy.prepareForCreate?.(next);
  const own = validateNew(strategy, version, next);
  if (own.length > 0) throw invalidObject(scope.kind, next.metadata.name ?? '', own);
  const common = validateObjectMeta(next.metadata, { namespaced, validateName: isPathSegmentName });
  if (common.length > 0) throw invalidObject(scope.kind, next.metadata.name ?? '', common);
}

/** Prepares and validates an update, in upstream's order (apiserver pkg/registry/rest/update.go BeforeUpdate). Throws the 422. */
export function beforeUpdate<T extends KubeObject>(scope: ResourceScope<T>, version: ResourceVersionDefinition, next: T, live: T): void {
  const { strategy, namespaced } = scope.definition;
  keepIdentity(next.metadata, live.metadata);
  strategy.prepareForUpdate?.(next, live);
  keepDeletion(next.metadata, live.metadata);
  const common = validateObjectMeta(next.metadata, { namespaced, validateName: isPathSegmentName });
  const changes = validateObjectMetaUpdate(next.metadata, live.metadata);
  const errors = [...common, ...changes, ...validateChange(strategy, version, { next, live })];
  if (errors.length > 0) throw invalidObject(scope.kind, next.metadata.name ?? '', errors);
}

/**
 * Restores uid, creationTimestamp and generation. No manager owns these fields, so this may run before managedFields are computed: a body
 * that omits them is then as cheap as one that repeats them.
 */
export function keepIdentity(next: ObjectMeta, live: ObjectMeta): void {
  if (!next.uid) setOrDelete(next, 'uid', live.uid);
  if (live.creationTimestamp !== undefined) next.creationTimestamp = live.creationTimestamp;
  setOrDelete(next, 'generation', live.generation);
}

/** Whether an update repeats the current uid, creationTimestamp and generation. */
export function isSameIdentity(next: ObjectMeta, live: ObjectMeta): boolean {
  return next.uid === live.uid && next.creationTimestamp === live.creationTimestamp && next.generation === live.generation;
}

/** Restores the deletion fields, which an update cannot change. */
function keepDeletion(next: ObjectMeta, live: ObjectMeta): void {
  if (live.deletionTimestamp !== undefined) next.deletionTimestamp = live.deletionTimestamp;
  if (live.deletionGracePeriodSeconds !== undefined) next.deletionGracePeriodSeconds ??= live.deletionGracePeriodSeconds;
}

function setOrDelete<K extends keyof ObjectMeta>(metadata: ObjectMeta, key: K, value: ObjectMeta[K]): void {
  if (value === undefined) delete metadata[key];
  else metadata[key] = value;
}

/** Validates a new object by the rules of the version in which it was written. */
function validateNew<T extends KubeObject>(strategy: Strategy<T>, version: ResourceVersionDefinition, next: T): readonly FieldError[] {
  return version.validation ? version.validation.validate(fromHub(version, next)) : strategy.validate(next);
}

/** An update as hub objects. */
interface ObjectChange<T extends KubeObject> {
  readonly next: T;
  readonly live: T;
}

/** Validates an update by the rules of the version in which it was written. */
function validateChange<T extends KubeObject>(
  strategy: Strategy<T>,
  version: ResourceVersionDefinition,
  { next, live }: ObjectChange<T>,
): readonly FieldError[] {
  if (!version.validation) return strategy.validateUpdate(next, live);
  return version.validation.validateUpdate(fromHub(version, next), fromHub(version, live));
}

/** Upstream deduplicates before and after mutating admission, with different texts; patches only after it. */
export type DedupeMoment = 'beforeAdmission' | 'afterAdmission';

const ADVICE = 'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests';
const FOUND: Record<DedupeMoment, string> = {
  beforeAdmission: '.metadata.ownerReferences contains duplicate entries',
  afterAdmission: '.metadata.ownerReferences contains duplicate entries after mutating admission happens',
};

/** Drops duplicate owner references (equal in every field) and warns (apiserver pkg/endpoints/handlers/rest.go). */
export function dedupeOwnerReferences(metadata: ObjectMeta, context: RequestContext, moment: DedupeMoment): void {
  const references = metadata.ownerReferences;
  if (!references || references.length < 2) return;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    if (kept.some((other) => equalReferences(other, reference))) duplicates.push(reference.uid);
    else kept.push(reference);
  }
  if (duplicates.length === 0) return;
  context.warn(`${FOUND[moment]}; ${ADVICE}; duplicate UID(s) observed: ${duplicates.join(', ')}`);
  metadata.ownerReferences = kept;
}

function equalReferences(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    a.apiVersion === b.apiVersion &&
    a.kind === b.kind &&
    a.name === b.name &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}
