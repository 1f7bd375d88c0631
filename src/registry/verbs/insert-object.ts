import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { ObjectKey, StoredObject } from '../../storage/object-store.js';
import type { Requester } from '../../storage/requester.js';
import { isStorageError, StorageError } from '../../storage/storage-errors.js';
import { beforeCreate, fillSystemFields, wipeSystemFields } from '../rules/before-create.js';
import { namespaceKey } from '../objects/namespace-key.js';
import { ownCopy, toHub, withoutManagedFields } from '../objects/object-copy.js';
import type { UserInfo } from '../resource/request-context.js';
import type { ResourceVersionDefinition } from '../resource/resource-definition.js';
import { type ResourceScope, objectKey } from '../scope/resource-scope.js';

/** A validated hub object and its storage key. */
export interface NewObject<T extends KubeObject> {
  readonly key: ObjectKey;
  readonly object: T;
}

/**
 * Copies an object to be created, fills in its name and system fields, and validates it. Throws the 422. What the client sent in system
 * fields has counted only as preconditions (apiserver pkg/registry/generic/registry/store.go).
 */
export function prepareNewObject<T extends KubeObject>(
  scope: ResourceScope<T>,
  version: ResourceVersionDefinition,
  sent: KubeObject,
  user: UserInfo,
): NewObject<T> {
  const object = ownCopy(toHub<T>(version, sent));
  wipeSystemFields(object);
  fillSystemFields(scope, object, user);
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
 * Stores a new object in its namespace. An object that is too large is stored without managedFields if that makes it fit. A dry run only
 * checks that the name is free, and returns a state with revision 0. Rejects with StorageErrors.
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
  const container = key.namespace === '' ? undefined : namespaceKey(key.namespace);
  const options = { requester, container, sequel: scope.definition.strategy.sequelOf?.(undefined, object) };
  try {
    return await scope.objects.create(key, value, options);
  } catch (error) {
    if (!isStorageError(error, 'TooLarge') || !object.metadata.managedFields) throw error;
    return await scope.objects.create(key, scope.codec.encode(withoutManagedFields(object)), options);
  }
}
