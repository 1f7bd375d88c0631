import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { type ListOptions, DEFAULT_LIST_OPTIONS } from '../../apimachinery/options/list-options.js';
import { storageResource } from '../../registry/resource/resource-definition.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { objectPath } from '../../storage/object-path.js';
import type { StoredObject, Watch, WatchItem } from '../../storage/object-store.js';
import { isStorageError } from '../../storage/storage-errors.js';
import type { Scheduler } from '../../time/scheduler.js';
import { retryDelay } from './retry-queue.js';

export interface InformerOptions {
  readonly store: ResourceStore;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Called after each change; for a deletion, with the last state. The initial objects count as changes. */
  readonly onChange: (object: StoredObject, gone: boolean, path: string) => void;
}

/**
 * The objects of one resource in all namespaces, kept up to date by a watch (upstream: client-go tools/cache). A watch that fails or ends
 * is restarted with the whole state; objects that are then missing are reported as deleted.
 */
export class Informer {
  /** Resolves once the whole state has been delivered. */
  readonly synced: Promise<void>;
  readonly #options: InformerOptions;
  readonly #objects = new Map<string, StoredObject>();
  /** Paths delivered since the watch started, until its initial state is complete. */
  #told: Set<string> | undefined;
  #watch: Watch | undefined;
  #cancelRetry: (() => void) | undefined;
  #failures = 0;
  #stopped = false;
  #resolveSynced!: () => void;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.synced = new Promise((resolve) => (this.#resolveSynced = resolve));
  }

  /** The last known state of an object; `path` is `namespace/name`. */
  get(path: string): StoredObject | undefined {
    return this.#objects.get(path);
  }

  all(): Iterable<StoredObject> {
    return this.#objects.values();
  }

  /** Resolves once the first watch has begun, or its first failure has been logged. */
  async start(): Promise<void> {
    const { store, logger } = this.#options;
    this.#told = new Set();
    try {
      const version = store.definition.storageVersion;
      const watch = await store.watch({ version, namespace: '', name: '' }, STATE_AND_CHANGES, (items) => this.#receive(items));
      if (this.#stopped) return watch.close();
      this.#watch = watch;
      void watch.closed.then(() => this.#retry());
    } catch (error) {
      logger.error({ err: error, resource: storageResource(store.definition) }, 'controller cannot watch');
      this.#retry();
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#watch?.close();
  }

  #receive(items: readonly WatchItem[]): void {
    for (const item of items) {
      if (this.#stopped) return;
      if (item.kind === 'event') this.#apply(item.event.object, item.event.type === 'DELETED');
      else if (item.kind === 'bookmark') this.#bookmark(item.initialEventsEnd);
      else logWatchEnd(this.#options.logger, item.error, storageResource(this.#options.store.definition));
    }
  }

  #apply(object: StoredObject, gone: boolean): void {
    const path = objectPath(object.key);
    if (gone) this.#objects.delete(path);
    else this.#objects.set(path, object);
    this.#told?.add(path);
    this.#options.onChange(object, gone, path);
  }

  #bookmark(initialEventsEnd: boolean): void {
    this.#failures = 0;
    const told = this.#told;
    if (!initialEventsEnd || !told) return;
    this.#told = undefined;
    for (const [path, object] of this.#objects) if (!told.has(path)) this.#apply(object, true);
    this.#resolveSynced();
  }

  #retry(): void {
    if (this.#stopped) return;
    this.#cancelRetry = this.#options.scheduler.after(retryDelay(this.#failures++), () => void this.start());
  }
}

const STATE_AND_CHANGES: ListOptions = {
  ...DEFAULT_LIST_OPTIONS,
  watch: true,
  allowWatchBookmarks: true,
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
};

/** History ends a watch in the course of things, as after `bump-revision`: the controller lists and watches again. */
export function logWatchEnd(logger: Logger, error: Error, resource: string): void {
  const isExpired = (error instanceof ApiError && error.code === 410) || isStorageError(error, 'Compacted');
  if (isExpired) logger.debug({ resource, reason: error.message }, 'controller watch expired; relisting');
  else logger.warn({ err: error, resource }, 'controller watch ended');
}
