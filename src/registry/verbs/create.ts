import { ApiError } from '../../apimachinery/errors/api-error.js';
import { badRequest, generateNameConflict, requestTimeout } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { CreateOptions } from '../../apimachinery/meta/options/request-options.js';
import type { ObjectKey, StoredObject } from '../../storage/object-store.js';
import { parseResourceVersion } from '../../storage/resource-version.js';
import { isStorageError } from '../../storage/storage-errors.js';
import { admit } from '../admit.js';
import { wipeSystemFields } from '../before-create.js';
import type { NewObject } from '../insert-object.js';
import { insertObject, prepareNewObject } from '../insert-object.js';
import { interpretStorageError } from '../interpret-storage-error.js';
import { matchNamespace } from '../match-target.js';
import { ownCopy, toHub } from '../object-copy.js';
import { dedupeOwnerReferences } from '../owner-references.js';
import type { RequestContext } from '../request-context.js';
import type { ResourceScope } from '../resource-scope.js';
import { namespaceOf, operation } from '../resource-scope.js';
import type { RequestTarget } from '../resource-store.js';
import { trackFields } from '../track-fields.js';

/** How often a generated name is tried before the client hears that it is taken. */
const NAME_ATTEMPTS = 8;

/** POST (apiserver handlers/create.go, registry/generic/registry/store.go Create). */
export async function createObject<T extends KubeObject>(
  scope: ResourceScope<T>,
  context: RequestContext,
  target: RequestTarget,
  sent: KubeObject,
  options: CreateOptions,
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
  if (scope.guard) {
    await scope.guard.check({ context, target, object: toHub<T>(version, tracked), live: undefined, repeatsIdentity: false });
  }
  const attempts = tracked.metadata.name || !tracked.metadata.generateName ? 1 : NAME_ATTEMPTS;
  for (let attempt = 1; ; attempt++) {
    if (context.signal.aborted) throw requestTimeout();
    const created = prepareNewObject(scope, version, tracked);
    if (!options.dryRun) refuseResourceVersion(tracked);
    try {
      return await insertObject(scope, created, { dryRun: options.dryRun, requester: context });
    } catch (error) {
      if (attempt === attempts || !isStorageError(error, 'Exists')) throw await explain(scope, created, error);
    }
  }
}

/** A malformed version is ignored, as is 0. Upstream answers 500 (apiserver pkg/storage/etcd3/store.go Create). */
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

/** False too where storage cannot tell: the answer to a creation is that the name is taken, whatever becomes of the look at who took it. */
async function isTerminating<T extends KubeObject>({ objects }: ResourceScope<T>, key: ObjectKey): Promise<boolean> {
  try {
    const { object } = await objects.get(key, { kind: 'latest' });
    return object?.terminating === true;
  } catch (error) {
    if (!isStorageError(error)) throw error;
    return false;
  }
}
