import { ApiError } from '../../apimachinery/errors/api-error.js';
import { forbidden, notFound, requestTimeout } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import type { Status } from '../../apimachinery/meta/status.schema.js';
import type { ObjectKey, StoredObject } from '../../storage/object-store.js';
import { isStorageError } from '../../storage/storage-errors.js';
import { deletionFinalizers, markDeleted, withoutCollector } from '../rules/before-delete.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { checkContainerPreconditions, checkDeletePreconditions, decodable } from '../rules/preconditions.js';
import type { RequestContext } from '../resource/request-context.js';
import { type ResourceScope, operation } from '../scope/resource-scope.js';
import { timestamp } from '../objects/object-values.js';

export type DeleteResult = { readonly object: StoredObject; readonly accepted: boolean } | { readonly status: Status };

/**
 * DELETE of one object: removes it, or marks it if finalizers or the strategy hold it (apiserver registry/generic/registry/store.go
 * Delete). `suggestion` is a state that the caller already has. Like a cached state it is used optimistically: only a successful
 * compare-and-set on it counts, and every other outcome is decided again on the latest state.
 */
export async function deleteObject<T extends KubeObject>(
  scope: ResourceScope<T>,
  context: RequestContext,
  key: ObjectKey,
  options: DeleteOptions,
  suggestion?: StoredObject,
): Promise<DeleteResult> {
  try {
    if (options.unsafe) return await deleteUndecodable(scope, context, key, options);
    const first = suggestion ?? scope.objects.suggest(key);
    if (first && !options.dryRun) {
      const result = await trySuggestion(scope, { context, options, current: first });
      if (result !== 'lost') return result;
    }
    for (;;) {
      if (context.signal.aborted) throw requestTimeout();
      const { object: current } = await scope.objects.get(key, { kind: 'latest' });
      if (!current) throw notFound(scope.resource, key.name);
      const result = await attempt(scope, { context, options, current }, true);
      if (result !== 'lost') return result;
    }
  } catch (error) {
    throw interpretStorageError(error, operation(scope, 'delete', key));
  }
}

/** Unsafe deletion: of an object that cannot be decoded, whatever it says (apiserver registry/generic/registry/corrupt_obj_deleter.go). */
async function deleteUndecodable(
  scope: ResourceScope,
  context: RequestContext,
  key: ObjectKey,
  { dryRun }: DeleteOptions,
): Promise<DeleteResult> {
  const { object: current } = await scope.objects.get(key, { kind: 'latest' });
  if (!current) throw notFound(scope.resource, key.name);
  if (canDecode(scope, current)) throw decodable(scope.resource, key);
  if (!dryRun) await scope.objects.delete(current, { requester: context });
  return { status: success(scope, current) };
}

function canDecode({ codec }: ResourceScope, stored: StoredObject): boolean {
  try {
    codec.decode(stored);
    return true;
  } catch {
    return false;
  }
}

/** One attempt to delete a state. */
interface Deletion {
  readonly context: RequestContext;
  readonly options: DeleteOptions;
  readonly current: StoredObject;
}

async function trySuggestion<T extends KubeObject>(scope: ResourceScope<T>, deletion: Deletion): Promise<DeleteResult | 'lost'> {
  try {
    return await attempt(scope, deletion, false);
  } catch (error) {
    if (error instanceof ApiError) return 'lost';
    throw error;
  }
}

async function attempt<T extends KubeObject>(scope: ResourceScope<T>, deletion: Deletion, newest: boolean): Promise<DeleteResult | 'lost'> {
  const { context, options, current } = deletion;
  checkPreconditions(scope, options, current);
  const live = scope.codec.decode(current);
  const refusal = scope.definition.strategy.forbidsDeletion?.(live);
  if (refusal !== undefined) throw forbidden(scope.resource, current.key.name, refusal);
  const marked = markedObject(scope, live, options);
  try {
    if (marked) return await mark(scope, deletion, marked, newest);
    const sequel = scope.definition.strategy.sequelOf?.(live, undefined);
    const revision = options.dryRun ? current.revision : await scope.objects.delete(current, { requester: context, sequel });
    if (scope.definition.returnsDeleted) return { object: { ...current, revision }, accepted: false };
    return { status: success(scope, current) };
  } catch (error) {
    if (isStorageError(error, 'Conflict') || isStorageError(error, 'NotFound')) return 'lost';
    throw error;
  }
}

function checkPreconditions({ definition, resource, kind }: ResourceScope, options: DeleteOptions, current: StoredObject): void {
  if (definition.strategy.holdsDeletion) checkContainerPreconditions(resource, options, current);
  else checkDeletePreconditions({ group: kind.group, resource: kind.kind }, options, current);
}

/** Returns the object marked for deletion, or undefined if nothing holds it and it can be removed. */
function markedObject<T extends KubeObject>(scope: ResourceScope<T>, live: T, options: DeleteOptions): T | undefined {
  const { strategy } = scope.definition;
  const isFirst = live.metadata.deletionTimestamp === undefined;
  if (isFirst && strategy.markedForDeletion) return strategy.markedForDeletion(live, options, timestamp(scope.now()));
  const held = strategy.holdsDeletion?.(live) ?? false;
  // Upstream leaves a terminating namespace unchanged, whatever the options say.
  if (held && !isFirst) return live;
  const present = live.metadata.finalizers ?? [];
  const finalizers = strategy.withoutGarbageCollection ? withoutCollector(present) : deletionFinalizers(present, options);
  return held || finalizers.length > 0 ? markDeleted(live, finalizers, scope.now()) : undefined;
}

async function mark<T extends KubeObject>(
  scope: ResourceScope<T>,
  { context, options, current }: Deletion,
  marked: T,
  newest: boolean,
): Promise<DeleteResult | 'lost'> {
  const accepted = options.orphanDependents === false;
  const value = scope.codec.encode(marked);
  if (value.data === current.data) return newest ? { object: current, accepted } : 'lost';
  if (options.dryRun) return { object: { ...current, ...value }, accepted };
  return { object: await scope.objects.update(current, value, { requester: context }), accepted };
}

/** As upstream, `kind` holds the resource name and `code` is absent (store.go finalizeDelete). */
function success({ resource }: ResourceScope, { key, uid }: StoredObject): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: key.name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.resource, uid },
  };
}
