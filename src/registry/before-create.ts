import { invalidObject } from '../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import { isPathSegmentName } from '../apimachinery/validation/path-segment-name.js';
import { validateObjectMeta } from '../apimachinery/validation/object-meta.js';
import { validateNew } from './version-validation.js';
import type { ResourceVersionDefinition } from './resource-definition.js';
import type { ResourceScope } from './resource-scope.js';
import { timestamp } from './timestamp.js';

/** What only the server may say about a new object; whatever the client sent is forgotten. */
export function wipeSystemFields(object: KubeObject): void {
  const { metadata } = object;
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Fills in what the server says about a new object. */
export function fillSystemFields(scope: ResourceScope, object: KubeObject): void {
  object.metadata.uid = scope.newUid();
  object.metadata.creationTimestamp = timestamp(scope.now());
}

/**
 * The rules for every new object, in upstream's order (apiserver pkg/registry/rest/create.go BeforeCreate): what the resource finds
 * hides what the common check would. Throws the 422.
 */
export function beforeCreate<T extends KubeObject>(scope: ResourceScope<T>, version: ResourceVersionDefinition, next: T): void {
  const { strategy, namespaced } = scope.definition;
  strategy.prepareForCreate(next);
  const own = validateNew(strategy, version, next);
  if (own.length > 0) throw invalidObject(scope.kind, next.metadata.name ?? '', own);
  const common = validateObjectMeta(next.metadata, { namespaced, validateName: isPathSegmentName });
  if (common.length > 0) throw invalidObject(scope.kind, next.metadata.name ?? '', common);
}
