import { invalidObject } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { isPathSegmentName } from '../../apimachinery/validation/names.js';
import { validateObjectMeta } from '../../apimachinery/validation/object-meta.js';
import { validateNew } from './version-validation.js';
import type { UserInfo } from '../resource/request-context.js';
import type { ResourceVersionDefinition } from '../resource/resource-definition.js';
import type { ResourceScope } from '../scope/resource-scope.js';
import { timestamp } from '../objects/timestamp.js';

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
