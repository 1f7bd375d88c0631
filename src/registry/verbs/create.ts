import { ApiError } from '../../apimachinery/errors/api-error.js';
import { badRequest, generateNameConflict, requestTimeout } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { WriteOptions } from '../../apimachinery/options/write-options.js';
import type { ObjectKey, StoredObject } from '../../storage/object-store.js';
import { parseResourceVersion } from '../../storage/revisions.js';
import { isStorageError } from '../../storage/storage-errors.js';
import { admit } from '../admission/admission.js';
import { wipeSystemFields } from '../rules/before-create.js';
import { type NewObject, insertObject, prepareNewObject } from './insert-object.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { matchNamespace } from '../rules/match-target.js';
import { ownCopy, toHub } from '../objects/object-copy.js';
import { dedupeOwnerReferences } from '../rules/dedupe-owner-references.js';
import type { RequestContext } from '../resource/request-context.js';
import { type ResourceScope, namespaceOf, operation } from '../scope/resource-scope.js';
import type { RequestTarget } from '../resource/resource-store.js';
import { trackFields } from '../scope/track-fields.js';

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
