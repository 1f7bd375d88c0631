import { invalidObject } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject, ObjectMeta } from '../../apimachinery/meta/object-meta.schema.js';
import { isPathSegmentName } from '../../apimachinery/validation/names.js';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../apimachinery/validation/object-meta.js';
import type { ResourceVersionDefinition } from '../resource/resource-definition.js';
import type { ResourceScope } from '../scope/resource-scope.js';
import { validateChange } from './version-validation.js';

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
