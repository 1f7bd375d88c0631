import { ApiError } from '../../apimachinery/errors/api-error.js';
import { notFound, requestTimeout } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { WriteOptions as UpdateOptions } from '../../apimachinery/options/write-options.js';
import type { ObjectKey, ObjectValue, StoredObject, WriteOptions } from '../../storage/object-store.js';
import type { Requester } from '../../storage/requester.js';
import { isStorageError } from '../../storage/storage-errors.js';
import { whenAnswered, whenReady } from '../../time/backoff.js';
import { type AdmissionRequest, admit } from '../admission/admission.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { changedValue, fromHub, ownCopy, toHub, withoutManagedFields } from '../objects/stored-codec.js';
import type { RequestContext } from '../resource/request-context.js';
import type { RequestTarget, UpdateResult, UpdateSource } from '../resource/resource-store.js';
import { awaitsFinalizers } from '../rules/before-delete.js';
import { beforeUpdate, dedupeOwnerReferences, isSameIdentity, keepIdentity } from '../rules/before-write.js';
import { checkResourceVersion, checkUpdateUid, checkedVersion, matchName, matchNamespace } from '../rules/preconditions.js';
import { type ResourceScope, namespaceOf, objectKey, operation, trackFields } from '../scope/resource-scope.js';
import { insertObject, prepareNewObject } from './create.js';

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

interface UpdateRequest {
  readonly context: RequestContext;
  readonly target: RequestTarget;
  readonly source: UpdateSource;
  readonly options: UpdateOptions;
}

/** The result of one attempt; 'lost': another write came first, and the attempt must be repeated on the latest state. */
type Attempt = UpdateResult | 'lost';

/** Returns the object that the client wants, checked against the URL and with defaults. The caller may change its first two levels. */
function nextObject(scope: ResourceScope, { context, target, source }: UpdateRequest, live: KubeObject | undefined): KubeObject {
  const sent = ownCopy(source.next(live));
  matchNamespace(sent.metadata, namespaceOf(scope, target));
  matchName(sent.metadata, target.name);
  target.version.setDefaults?.(sent);
  // patches are deduplicated after admission only, as upstream does
  if (source.tracksFields === 'update' && source.mayCreate) dedupeOwnerReferences(sent.metadata, context, 'beforeAdmission');
  return sent;
}

/**
 * Runs admission on the client's object and tracks its managedFields; both objects are in the version's shape. The caller may change the
 * first two levels of `sent` and of the result. Returns a promise only if admission or the write policy has to wait, which most writes do
 * not.
 */
function admittedObject(
  scope: ResourceScope,
  request: UpdateRequest,
  operation: AdmissionRequest['operation'],
  live: KubeObject | undefined,
  sent: KubeObject,
): KubeObject | Promise<KubeObject> {
  const { context, target, source, options } = request;
  const repeatsIdentity = live !== undefined && isSameIdentity(sent.metadata, live.metadata);
  if (live) keepIdentity(sent.metadata, live.metadata);
  const object = source.tracksFields === 'own' ? sent : trackFields(scope, { context, version: target.version, options }, live, sent);
  const admitted = admit(scope, operation, object, namespaceOf(scope, target), options.dryRun);
  const goOn = () => policedObject(scope, request, { live, repeatsIdentity }, object);
  return admitted ? admitted.then(goOn) : goOn();
}

function policedObject(
  scope: ResourceScope,
  { context, target }: UpdateRequest,
  { live, repeatsIdentity }: { readonly live: KubeObject | undefined; readonly repeatsIdentity: boolean },
  object: KubeObject,
): KubeObject | Promise<KubeObject> {
  dedupeOwnerReferences(object.metadata, context, 'afterAdmission');
  if (!scope.writePolicy) return object;
  const hubs = { object: toHub(target.version, object), live: live && toHub(target.version, live) };
  const checked = scope.writePolicy.check({ context, target, ...hubs, repeatsIdentity });
  return checked ? checked.then(() => object) : object;
}

/**
 * Handles an update of a missing object, which PUT and apply may create. Any well-formed resourceVersion is accepted. Throws the 404 if the
 * request may not create; returns 'lost' if somebody else created the object first.
 */
async function createOnUpdate<T extends KubeObject>(scope: ResourceScope<T>, request: UpdateRequest, key: ObjectKey): Promise<Attempt> {
  const { context, target, source, options } = request;
  const isPut = source.mayCreate && source.tracksFields === 'update';
  const mayCreate = source.mayCreate && scope.definition.subresource === undefined;
  if (!mayCreate && !isPut) throw notFound(scope.resource, key.name);
  // upstream checks the body of a PUT, and warns of it, before it looks for the object (apiserver pkg/endpoints/handlers/update.go)
  const sent = nextObject(scope, request, undefined);
  if (!mayCreate || (isPut && !scope.definition.strategy.allowCreateOnUpdate)) throw notFound(scope.resource, key.name);
  checkUpdateUid(scope.resource, key, { uid: source.uid, dryRun: options.dryRun }, undefined);
  const admitted = await admittedObject(scope, request, 'CREATE', undefined, sent);
  checkedVersion(admitted.metadata.resourceVersion);
  const created = prepareNewObject(scope, target.version, admitted, context.user);
  await source.authorizeCreate?.();
  try {
    return { object: await insertObject(scope, created, { dryRun: options.dryRun, requester: context }), created: true };
  } catch (error) {
    if (isStorageError(error, 'Exists')) return 'lost';
    throw interpretStorageError(error, operation(scope, 'create', key));
  }
}
