import { ApiError } from '../../apimachinery/errors/api-error.js';
import { badRequest, requestTimeout } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import type { StoredObject } from '../../storage/object-store.js';
import type { RequestContext } from '../resource/request-context.js';
import type { ResourceScope } from '../scope/resource-scope.js';
import type { ListPage, RequestTarget } from '../resource/resource-store.js';
import { deleteObject } from './delete.js';
import { listObjects } from './list.js';

const PAGE_SIZE = 10_000;
/** Concurrent deletions, in list order; enough to fill the store's batches. */
const CONCURRENCY = 64;

/**
 * Deletes every object that a list returns, and returns that list (apiserver registry/generic/registry/store.go DeleteCollection). Without
 * a limit all pages are read; with one, only that page is deleted. Objects that are already gone are skipped; any other error stops the
 * deletion and is rejected.
 */
export async function deleteCollection<T extends KubeObject>(
  scope: ResourceScope<T>,
  context: RequestContext,
  target: RequestTarget,
  listOptions: ListOptions,
  deleteOptions: DeleteOptions,
): Promise<ListPage> {
  const everything = listOptions.limit === 0;
  const first = await listObjects(scope, target, everything ? { ...listOptions, limit: PAGE_SIZE } : listOptions);
  await deleteAll(scope, { context, target }, first.objects, deleteOptions);
  if (!everything) return first;
  const objects = [...first.objects];
  for (let next = first.continue; next !== undefined;) {
    const more = { ...listOptions, limit: PAGE_SIZE, continue: next, resourceVersion: '', resourceVersionMatch: '' as const };
    const page = await listObjects(scope, target, more);
    await deleteAll(scope, { context, target }, page.objects, deleteOptions);
    objects.push(...page.objects);
    next = page.continue;
  }
  const { continue: _continue, remainingItemCount: _count, ...page } = first;
  return { ...page, objects };
}

/** A path such as `namespaces//leases` lists all namespaces, but deletion needs exactly one. */
async function deleteAll<T extends KubeObject>(
  scope: ResourceScope<T>,
  { context, target }: { readonly context: RequestContext; readonly target: RequestTarget },
  objects: readonly StoredObject[],
  options: DeleteOptions,
): Promise<void> {
  if (scope.definition.namespaced && target.namespace === '' && objects.length > 0) throw badRequest('Namespace parameter required.');
  // A precondition fits one object at most. As upstream with one worker, those after the first that it does not fit are left alone.
  const concurrency = options.uid === undefined && options.resourceVersion === undefined ? CONCURRENCY : 1;
  for (let at = 0; at < objects.length; at += concurrency) {
    if (context.signal.aborted) throw requestTimeout();
    const chunk = objects.slice(at, at + concurrency);
    const outcomes = await Promise.allSettled(chunk.map((object) => deleteOne(scope, context, object, options)));
    // No deletion is under way any more when the response says that one has failed.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

async function deleteOne<T extends KubeObject>(
  scope: ResourceScope<T>,
  context: RequestContext,
  object: StoredObject,
  options: DeleteOptions,
): Promise<void> {
  try {
    await deleteObject(scope, context, object.key, options, object);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error;
  }
}
