import { invalid } from '../../apimachinery/errors/field-error.js';
import { badRequest, conflict, invalidObject, MODIFIED } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { ObjectKey, StoredObject } from '../../storage/object-store.js';
import { parseResourceVersion, ResourceVersionError } from '../../storage/revisions.js';
import type { ResourceScope } from '../scope/resource-scope.js';

/**
 * Checks the resourceVersion of an update, and fills it in for an unconditional one. Throws the 409 if the client saw another state, and
 * the 422 if the resource requires one and it is absent.
 */
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

/** Parses a client's resourceVersion; 0 if absent. Throws a 400 for a malformed one, where upstream answers 500. */
export function checkedVersion(text = ''): bigint {
  try {
    return parseResourceVersion(text);
  } catch (error) {
    if (error instanceof ResourceVersionError) throw badRequest(error.message);
    throw error;
  }
}

/** As upstream, the resource name stands in place of the kind (store.go Update). */
function missingVersion({ resource }: ResourceScope, key: ObjectKey): Error {
  const error = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalidObject({ group: resource.group, kind: resource.resource }, key.name, [error]);
}
