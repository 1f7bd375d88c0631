import { conflict } from '../../apimachinery/errors/status-errors.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import type { GroupResource } from '../../apimachinery/schema/group-resource.js';
import { objectPath } from '../../storage/object-path.js';
import type { ObjectKey, StoredObject } from '../../storage/object-store.js';

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
