import { invalidObject } from '../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { ObjectMeta } from '../apimachinery/meta/object-meta.js';
import { isPathSegmentName } from '../apimachinery/validation/path-segment-name.js';
import { validateObjectMeta } from '../apimachinery/validation/object-meta.js';
import { validateObjectMetaUpdate } from '../apimachinery/validation/object-meta-update.js';
import type { ResourceScope } from './resource-scope.js';

/**
 * The rules for every update, in upstream's order (apiserver pkg/registry/rest/update.go BeforeUpdate). Throws the 422, in which
 * findings about changed metadata stand twice: the common check makes them, and the resource's own one makes them again.
 */
export function beforeUpdate<T extends KubeObject>(scope: ResourceScope<T>, next: T, live: T): void {
  const { strategy, namespaced } = scope.definition;
  setOrDelete(next.metadata, 'generation', live.metadata.generation);
  strategy.prepareForUpdate(next, live);
  carryOver(next.metadata, live.metadata);
  const common = validateObjectMeta(next.metadata, { namespaced, validateName: isPathSegmentName });
  const changes = validateObjectMetaUpdate(next.metadata, live.metadata);
  const errors = [...common, ...changes, ...changes, ...strategy.validateUpdate(next, live)];
  if (errors.length > 0) throw invalidObject(scope.kind, next.metadata.name ?? '', errors);
}

/** What an update cannot change, whatever the client sent. */
function carryOver(next: ObjectMeta, live: ObjectMeta): void {
  if (!next.uid) setOrDelete(next, 'uid', live.uid);
  if (live.creationTimestamp !== undefined) next.creationTimestamp = live.creationTimestamp;
  if (live.deletionTimestamp !== undefined) next.deletionTimestamp = live.deletionTimestamp;
  if (live.deletionGracePeriodSeconds !== undefined) next.deletionGracePeriodSeconds ??= live.deletionGracePeriodSeconds;
}

function setOrDelete<K extends keyof ObjectMeta>(metadata: ObjectMeta, key: K, value: ObjectMeta[K]): void {
  if (value === undefined) delete metadata[key];
  else metadata[key] = value;
}
