import { ApiError } from '../../apimachinery/errors/api-error.js';
import { badRequest, generateNameConflict, requestTimeout } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { WriteOptions } from '../../apimachinery/options/write-options.js';
import type { ObjectKey, StoredObject } from '../../storage/object-store.js';
import type { Requester } from '../../storage/requester.js';
import { parseResourceVersion } from '../../storage/revisions.js';
import { StorageError, isStorageError } from '../../storage/storage-errors.js';
import { admit } from '../admission/admission.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { namespaceKey } from '../objects/object-values.js';
import { ownCopy, toHub, withoutManagedFields } from '../objects/stored-codec.js';
import type { RequestContext, UserInfo } from '../resource/request-context.js';
import type { ResourceVersionDefinition } from '../resource/resource-definition.js';
import type { RequestTarget } from '../resource/resource-store.js';
import { beforeCreate, dedupeOwnerReferences, fillSystemFields, wipeSystemFields } from '../rules/before-write.js';
import { matchNamespace } from '../rules/preconditions.js';
import { type ResourceScope, namespaceOf, objectKey, operation, trackFields } from '../scope/resource-scope.js';

/** Attempts with fresh generated names before the client gets the 409. */
const NAME_ATTEMPTS = 8;

/**
 * POST: creates an object and returns its stored state (apiserver handlers/create.go, registry/generic/registry/store.go Create). Rejects
 * with an ApiError: 409 if the name is taken, 422 if the object is invalid, 403 or 404 from admission.
 */
export async function createObject<T extends KubeObject>(
  scope: ResourceScope<T>,
  context: RequestContext,
  target: RequestTarget,
  sent: KubeObject,
  options: WriteOptions,
): Promise<StoredObject> {
  const { version } = target;
  const namespace = namespaceOf(scope, target);
  const object = ownCopy(sent);
  version.setDefaults?.(object);
  wipeSystemFields(object);
  matchNamespace(object.metadata, namespace);
  dedupeOwnerReferences(object.metadata, context, 'beforeAdmission');
  const tracked = trackFields(scope, { context, version, options }, undefined, object);
  await admit(scope, 'CREATE', tracked, namespace, options.dryRun);
  if (scope.writePolicy) {
    await scope.writePolicy.check({ context, target, object: toHub<T>(version, tracked), live: undefined, repeatsIdentity: false });
  }
  const attempts = tracked.metadata.name || !tracked.metadata.generateName ? 1 : NAME_ATTEMPTS;
  for (let attempt = 1; ; attempt++) {
    if (context.signal.aborted) throw requestTimeout();
    const created = prepareNewObject(scope, version, tracked, context.user);
    if (!options.dryRun) refuseResourceVersion(tracked);
    try {
      return await insertObject(scope, created, { dryRun: options.dryRun, requester: context });
    } catch (error) {
      if (attempt === attempts || !isStorageError(error, 'Exists')) throw await explain(scope, created, error);
    }
  }
}

/** Rejects any version but 0. A malformed one is ignored, where upstream answers 500 (apiserver pkg/storage/etcd3/store.go Create). */
function refuseResourceVersion({ metadata }: KubeObject): void {
  if (!metadata.resourceVersion || !/^0*[1-9][0-9]*$/.test(metadata.resourceVersion)) return;
  try {
    parseResourceVersion(metadata.resourceVersion);
  } catch {
    return;
  }
  throw badRequest('resourceVersion should not be set on objects to be created');
}

async function explain<T extends KubeObject>(scope: ResourceScope<T>, { key, object }: NewObject<T>, error: unknown): Promise<unknown> {
  const interpreted = interpretStorageError(error, operation(scope, 'create', key));
  if (!isStorageError(error, 'Exists') || !(interpreted instanceof ApiError)) return interpreted;
  const { status } = object.metadata.generateName
    ? generateNameConflict({ ...scope.resource, group: scope.kind.group }, key.name)
    : interpreted;
  const message = (await isTerminating(scope, key)) ? `object is being deleted: ${status.message}` : (status.message ?? '');
  return new ApiError({ code: 409, reason: status.reason, message, details: status.details, cause: error });
}

/** Whether the object in the way is being deleted. False if storage cannot tell: the create fails with 409 in either case. */
async function isTerminating<T extends KubeObject>({ objects }: ResourceScope<T>, key: ObjectKey): Promise<boolean> {
  try {
    const { object } = await objects.get(key, { kind: 'latest' });
    return object?.terminating === true;
  } catch (error) {
    if (!isStorageError(error)) throw error;
    return false;
  }
}

/** A validated hub object and its storage key. */
interface NewObject<T extends KubeObject> {
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
