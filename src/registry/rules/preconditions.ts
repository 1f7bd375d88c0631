import type { ApiError } from '../../apimachinery/errors/api-error.js';
import { invalid } from '../../apimachinery/errors/field-error.js';
import { MODIFIED, badRequest, conflict, invalidObject } from '../../apimachinery/errors/status-errors.js';
import { quote } from '../../apimachinery/go/go-string.js';
import type { KubeObject, ObjectMeta } from '../../apimachinery/meta/object-meta.schema.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import type { GroupResource } from '../../apimachinery/schema/group-resource.js';
import { objectPath } from '../../storage/object-path.js';
import type { ObjectKey, StoredObject } from '../../storage/object-store.js';
import { ResourceVersionError, parseResourceVersion } from '../../storage/revisions.js';
import type { ResourceScope } from '../scope/resource-scope.js';

/**
 * Checks the uid in a PUT body; throws the 409. Its text is that of upstream's etcd layer, storage key included, because clients see it; a
 * dry run does not reach etcd and so has no key prefix (apiserver pkg/storage/interfaces.go Preconditions.Check, errors.go).
 */
export function checkUpdateUid(
  resource: GroupResource,
  key: ObjectKey,
  { uid, dryRun }: { readonly uid?: string | undefined; readonly dryRun: boolean },
  live: StoredObject | undefined,
): void {
  if (!uid || uid === live?.uid) return;
  const reason = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live?.uid ?? ''}`;
  throw conflict(resource, key.name, invalidStored(resource, key, { reached: !dryRun, reason }));
}

/** The 409 for the unsafe deletion of an object that can be decoded (apiserver pkg/storage/etcd3/store.go). */
export function decodable(resource: GroupResource, key: ObjectKey): Error {
  const reason = 'unsafe deletion is not allowed because the object is decodable from storage';
  return conflict(resource, key.name, invalidStored(resource, key, { reached: true, reason }));
}

/** `reached`: whether upstream's etcd layer says it, which knows the whole key. */
function invalidStored({ resource }: GroupResource, key: ObjectKey, { reached, reason }: { reached: boolean; reason: string }): string {
  const path = `${reached ? '/registry' : ''}/${resource}/${objectPath(key)}`;
  return `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: ${reason}`;
}

/**
 * Checks the preconditions of a namespace's deletion, whose texts differ from those of other resources (kubernetes
 * pkg/registry/core/namespace/storage). Throws the 409.
 */
export function checkContainerPreconditions(resource: GroupResource, options: DeleteOptions, live: StoredObject): void {
  const failed = (what: string, wanted: string, found: string) =>
    conflict(resource, live.key.name, `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`);
  const { uid, resourceVersion } = options;
  const version = String(live.revision);
  if (uid !== undefined && uid !== live.uid) throw failed('UID', uid, live.uid);
  if (resourceVersion !== undefined && resourceVersion !== version) throw failed('ResourceVersion', resourceVersion, version);
}

/**
 * Checks the preconditions of a deletion; throws the 409. As upstream, the error names the kind where others name the resource (apiserver
 * pkg/registry/rest/delete.go).
 */
export function checkDeletePreconditions(kind: GroupResource, options: DeleteOptions, live: StoredObject): void {
  const { uid, resourceVersion } = options;
  if (uid !== undefined && uid !== live.uid) {
    const reason = `the UID in the precondition (${uid}) does not match the UID in record (${live.uid}).`;
    throw conflict(kind, live.key.name, `${reason} The object might have been deleted and then recreated`);
  }
  const version = String(live.revision);
  if (resourceVersion !== undefined && resourceVersion !== version) {
    const reason = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${version}).`;
    throw conflict(kind, live.key.name, `${reason} The object might have been modified`);
  }
}

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

/**
 * Reconciles the body's namespace with the URL's, which is '' for cluster-scoped resources: an absent one is filled in, a cluster-scoped
 * object loses its own, a different one is a 400 (apiserver pkg/registry/rest/meta.go).
 */
export function matchNamespace(metadata: ObjectMeta, namespace: string): void {
  if (namespace === '') {
    delete metadata.namespace;
  } else if (metadata.namespace === undefined || metadata.namespace === '') {
    metadata.namespace = namespace;
  } else if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Checks the name in the body of a PUT or patch against the URL's; throws the 400 (apiserver pkg/endpoints/handlers/rest.go checkName). */
export function matchName(metadata: ObjectMeta, name: string): void {
  if (!metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}

/** Parses a resourceVersion parameter; '' and '0' are 0. `refuse` turns the parser's text into the error to throw. */
export function parseVersion(text: string, refuse: (problem: string) => ApiError): bigint {
  try {
    return parseResourceVersion(text);
  } catch (error) {
    if (error instanceof ResourceVersionError) throw refuse(error.message);
    throw error;
  }
}

/** The text of upstream's watch cache for a malformed version (apiserver pkg/storage/api_object_versioner.go). */
export function invalidVersionText(text: string, problem: string): string {
  return `resourceVersion: Invalid value: ${quote(text)}: ${problem}`;
}
