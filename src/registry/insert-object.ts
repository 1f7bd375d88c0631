import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { ObjectKey, Requester, StoredObject } from '../storage/object-store.js';
import { isStorageError, StorageError } from '../storage/storage-errors.js';
import { beforeCreate, fillSystemFields } from './before-create.js';
import { namespaceKey } from './namespace-key.js';
import { ownCopy, toHub, withoutManagedFields } from './object-copy.js';
import type { ResourceVersionDefinition } from './resource-definition.js';
import type { ResourceScope } from './resource-scope.js';
import { objectKey } from './resource-scope.js';

/** A hub object that may be stored, and where. */
export interface NewObject<T extends KubeObject> {
  readonly key: ObjectKey;
  readonly object: T;
}

/** Names, completes and validates a copy of an object that is to be created. Throws the 422. */
export function prepareNewObject<T extends KubeObject>(
  scope: ResourceScope<T>,
  version: ResourceVersionDefinition,
  sent: KubeObject,
): NewObject<T> {
  const object = ownCopy(toHub<T>(version, sent));
  fillSystemFields(scope, object);
  const { metadata } = object;
  if (!metadata.name && metadata.generateName) metadata.name = scope.generateName(metadata.generateName);
  beforeCreate(scope, version, object);
  return { object, key: objectKey(scope, metadata.namespace ?? '', metadata.name ?? '') };
}

export interface InsertOptions {
  readonly dryRun: boolean;
  readonly requester: Requester;
}

/**
 * Stores a new object in its namespace. One that is too large is stored without managedFields if that is enough. A dry run only looks
 * whether the name is taken; the state that it answers has revision 0. Rejects with StorageErrors.
 */
export async function insertObject<T extends KubeObject>(
  scope: ResourceScope<T>,
  { key, object }: NewObject<T>,
  { dryRun, requester }: InsertOptions,
): Promise<StoredObject> {
  const value = scope.codec.encode(object);
  if (dryRun) {
    const found = await scope.objects.get(key, { kind: 'latest' });
    if (found.object) throw new StorageError('Exists', 'the object exists');
    return { key, ...value, revision: 0 };
  }
  const options = { requester, container: key.namespace === '' ? undefined : namespaceKey(key.namespace) };
  try {
    return await scope.objects.create(key, value, options);
  } catch (error) {
    if (!isStorageError(error, 'TooLarge') || !object.metadata.managedFields) throw error;
    return await scope.objects.create(key, scope.codec.encode(withoutManagedFields(object)), options);
  }
}
