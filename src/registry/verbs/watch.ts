import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';
import type { Watch, WatchItem, WatchOptions, WatchReceiver } from '../../storage/object-store.js';
import { type StorageOperation, interpretStorageError } from '../errors/interpret-storage-error.js';
import { invalidVersionText, parseVersion } from '../rules/preconditions.js';
import { type ResourceScope, operation } from '../scope/resource-scope.js';
import type { RequestTarget } from '../resource/resource-store.js';
import { selectObjects } from '../scope/select-objects.js';

/**
 * Starts a watch (apiserver registry/generic/registry/store.go Watch, pkg/storage/cacher/cacher.go). Rejects with an ApiError; error items
 * carry ApiErrors too. The bookmark that ends the initial events is sent only to clients that asked for both sendInitialEvents and
 * bookmarks.
 */
export async function watchObjects(
  scope: ResourceScope,
  target: RequestTarget,
  options: ListOptions,
  receive: WatchReceiver,
): Promise<Watch> {
  const { range, predicate, equal } = selectObjects(scope, target, options);
  const start = watchStart(options);
  const what = operation(scope, 'watch', { resource: scope.storageResource, namespace: target.namespace, name: target.name });
  const receiver = translatingReceiver(receive, what);
  const toldOfEnd = options.sendInitialEvents === true && options.allowWatchBookmarks;
  try {
    return await scope.objects.watch(
      range,
      { ...start, predicate, equal, bookmarks: options.allowWatchBookmarks },
      start.initialState && !toldOfEnd ? withoutInitialEnd(receiver) : receiver,
    );
  } catch (error) {
    throw interpretStorageError(error, what);
  }
}

/**
 * Where a watch begins. Without a resourceVersion it begins with the current state, unless sendInitialEvents=false; the `/watch/` paths
 * rely on that. Throws a 400 for a malformed version, where upstream answers 500.
 */
function watchStart({ resourceVersion, sendInitialEvents }: ListOptions): Pick<WatchOptions, 'after' | 'initialState'> {
  const revision = parseVersion(resourceVersion, (problem) => badRequest(invalidVersionText(resourceVersion, problem)));
  if (revision > 0n) return sendInitialEvents ? { initialState: { kind: 'notOlderThan', revision } } : { after: revision };
  if (sendInitialEvents === false) return {};
  return { initialState: { kind: resourceVersion === '' ? 'latest' : 'any' } };
}

function translatingReceiver(receive: WatchReceiver, what: StorageOperation): WatchReceiver {
  return (items) => {
    const last = items.at(-1);
    if (last?.kind !== 'error') return receive(items);
    receive([...items.slice(0, -1), { kind: 'error', error: interpretStorageError(last.error, what) as Error }]);
  };
}

function withoutInitialEnd(receive: WatchReceiver): WatchReceiver {
  let ended = false;
  return (items) => {
    if (ended) return receive(items);
    const at = items.findIndex(isInitialEnd);
    if (at < 0) return receive(items);
    ended = true;
    if (items.length > 1) receive([...items.slice(0, at), ...items.slice(at + 1)]);
  };
}

function isInitialEnd(item: WatchItem): boolean {
  return item.kind === 'bookmark' && item.initialEventsEnd;
}
