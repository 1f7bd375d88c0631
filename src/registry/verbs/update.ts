import { ApiError } from '../../apimachinery/errors/api-error.js';
import { requestTimeout } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { ObjectValue, StoredObject, WriteOptions } from '../../storage/object-store.js';
import type { Requester } from '../../storage/requester.js';
import { isStorageError } from '../../storage/storage-errors.js';
import { awaitsFinalizers } from '../rules/before-delete.js';
import { beforeUpdate } from '../rules/before-update.js';
import { checkResourceVersion } from '../rules/check-resource-version.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { fromHub, toHub, withoutManagedFields } from '../objects/object-copy.js';
import { checkUpdateUid } from '../rules/preconditions.js';
import { type ResourceScope, namespaceOf, objectKey, operation } from '../scope/resource-scope.js';
import type { UpdateResult } from '../resource/resource-store.js';
import { changedValue } from '../objects/changed-value.js';
import { createOnUpdate } from './create-on-update.js';
import { type Attempt, type UpdateRequest, admittedObject, nextObject } from './update-request.js';
import { whenAnswered, whenReady } from '../../time/when-ready.js';

/** A promise only if the attempt has to wait. */
type PendingAttempt = Attempt | Promise<Attempt>;

/**
 * PUT, patches and apply (apiserver handlers/update.go and patch.go, registry/generic/registry/store.go Update). Rejects with an ApiError.
 * The first attempt runs on the cached state, optimistically: if the store's compare-and-set succeeds, the cached state was current. Any
 * other outcome of that attempt (a rejection, no change, a lost race) is discarded and decided again on the latest state.
 */
export async function updateObject<T extends KubeObject>(scope: ResourceScope<T>, request: UpdateRequest): Promise<UpdateResult> {
  const key = objectKey(scope, namespaceOf(scope, request.target), request.target.name);
  try {
    const suggestion = scope.objects.suggest(key);
    if (suggestion) {
      const result = await trySuggestion(scope, request, suggestion);
      if (result !== 'lost') return result;
    }
    for (;;) {
      if (request.context.signal.aborted) throw requestTimeout();
      const { object: current } = await scope.objects.get(key, { kind: 'latest' });
      const result = current ? await replace(scope, request, current, true) : await createOnUpdate(scope, request, key);
      if (result !== 'lost') return result;
    }
  } catch (error) {
    throw interpretStorageError(error, operation(scope, 'update', key));
  }
}

function trySuggestion<T extends KubeObject>(scope: ResourceScope<T>, request: UpdateRequest, suggestion: StoredObject): PendingAttempt {
  return whenAnswered(
    () => replace(scope, request, suggestion, false),
    (outcome) => outcome,
    lostIfRefused,
  );
}

function lostIfRefused(error: unknown): 'lost' {
  if (error instanceof ApiError) return 'lost';
  throw error;
}

/**
 * One attempt on an existing object. `newest`: `current` was read for this attempt, so a rejection is final. This function and the steps
 * below it are not async: an await would keep the request's objects alive until commit.
 */
function replace<T extends KubeObject>(
  scope: ResourceScope<T>,
  request: UpdateRequest,
  current: StoredObject,
  newest: boolean,
): PendingAttempt {
  const { target, source, options } = request;
  const live = scope.codec.decode(current);
  const liveVersioned = fromHub(target.version, live);
  const sent = nextObject(scope, request, liveVersioned);
  checkUpdateUid(scope.resource, current.key, { uid: source.uid, dryRun: options.dryRun }, current);
  const admitted = admittedObject(scope, request, 'UPDATE', liveVersioned, sent);
  return whenReady(admitted, (object) => replaceWith(scope, request, { current, live, newest }, toHub<T>(target.version, object)));
}

/** The state that an update replaces, stored and decoded. */
interface Replaced<T extends KubeObject> {
  readonly current: StoredObject;
  readonly live: T;
  readonly newest: boolean;
}

function replaceWith<T extends KubeObject>(
  scope: ResourceScope<T>,
  { context, target, source, options }: UpdateRequest,
  { current, live, newest }: Replaced<T>,
  next: T,
): PendingAttempt {
  checkResourceVersion(scope, next, current);
  beforeUpdate(scope, target.version, next, live);
  if (!newest && options.dryRun) return 'lost';
  if (goesWithThisUpdate(scope, next, live)) return remove(scope, { current, live, next }, options.dryRun, context);
  const value = changedValue(scope.codec, next, live, current);
  if (value === undefined) return newest ? { object: current, created: false } : 'lost';
  if (options.dryRun) return { object: { ...current, ...value }, created: false };
  const { strategy } = scope.definition;
  const sequel = strategy.sequelOf?.(live, next);
  const mayWaitMs = sequel ? 0 : strategy.mayWaitMs?.(next, live);
  return write(scope, { current, value, next, options: { requester: context, sequel, mayWaitMs } }, source.tracksFields !== 'own');
}

function goesWithThisUpdate<T extends KubeObject>(scope: ResourceScope<T>, next: T, live: T): boolean {
  if (!awaitsFinalizers(live) || (next.metadata.finalizers?.length ?? 0) > 0) return false;
  return !scope.definition.strategy.holdsDeletion?.(next);
}

/**
 * Removes an object whose last finalizer this update took away. The response shows the object as the update would have stored it, with the
 * old resourceVersion.
 */
async function remove<T extends KubeObject>(
  scope: ResourceScope<T>,
  { current, live, next }: { current: StoredObject; live: T; next: T },
  dryRun: boolean,
  requester: Requester,
): Promise<Attempt> {
  const result = { object: { ...current, ...scope.codec.encode(next) }, created: false };
  if (dryRun) return result;
  try {
    await scope.objects.delete(current, { requester, sequel: scope.definition.strategy.sequelOf?.(live, undefined) });
    return result;
  } catch (error) {
    if (isLostRace(error)) return 'lost';
    throw error;
  }
}

/** The new state, encoded and decoded. */
interface Replacement<T extends KubeObject> {
  readonly current: StoredObject;
  readonly value: ObjectValue;
  readonly next: T;
  readonly options: WriteOptions;
}

/** `slimmable`: if the object is too large, it may be stored without managedFields. */
function write<T extends KubeObject>(
  scope: ResourceScope<T>,
  { current, value, next, options }: Replacement<T>,
  slimmable: boolean,
): Promise<Attempt> {
  const written = (object: StoredObject): UpdateResult => ({
    object,
    created: false,
    hub: scope.codec.asStored(next, object.revision),
  });
  const failed = (error: unknown): Attempt | Promise<Attempt> => {
    if (isLostRace(error)) return 'lost';
    if (!slimmable || !next.metadata.managedFields || !isStorageError(error, 'TooLarge')) throw error;
    const slim = withoutManagedFields(next);
    return write(scope, { current, value: scope.codec.encode(slim), next: slim, options }, false);
  };
  return scope.objects.update(current, value, options).then(written, failed);
}

function isLostRace(error: unknown): boolean {
  return isStorageError(error, 'Conflict') || isStorageError(error, 'NotFound');
}
