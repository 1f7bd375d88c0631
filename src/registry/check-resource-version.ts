import { invalid } from '../apimachinery/errors/field-error.js';
import { badRequest, conflict, invalidObject, MODIFIED } from '../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { ObjectKey, StoredObject } from '../storage/object-store.js';
import { parseResourceVersion, ResourceVersionError } from '../storage/resource-version.js';
import type { ResourceScope } from './resource-scope.js';

/** Sets the version of an unconditional update; throws where the client saw another state, or did not say which one it saw. */
export function checkResourceVersion(scope: ResourceScope, next: KubeObject, current: StoredObject): void {
  const { metadata } = next;
  const version = String(current.revision);
  if (metadata.resourceVersion === version) return;
  const seen = checkedVersion(metadata.resourceVersion);
  if (seen === 0n) {
    if (!scope.definition.strategy.allowUnconditionalUpdate) throw missingVersion(scope, current.key);
    metadata.resourceVersion = version;
  } else if (seen !== BigInt(current.revision)) {
    throw conflict(scope.resource, current.key.name, MODIFIED);
  }
}

/** A client's version, 0 for none. Upstream answers 500 to a malformed one. */
export function checkedVersion(text = ''): bigint {
  try {
    return parseResourceVersion(text);
  } catch (error) {
    if (error instanceof ResourceVersionError) throw badRequest(error.message);
    throw error;
  }
}

/** Upstream puts the resource where the kind belongs (store.go, Update). */
function missingVersion({ resource }: ResourceScope, key: ObjectKey): Error {
  const error = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalidObject({ group: resource.group, kind: resource.resource }, key.name, [error]);
}
