import { type MemoryStoreOptions, MemoryStore } from '../../src/storage/memory/memory-store.js';
import type { KeyRange, ObjectStore, Watch, WatchOptions, WatchReceiver } from '../../src/storage/object-store.js';
import type { CachedStore } from '../../src/storage/watch-cache/cached-store.js';
import { openCachedStore } from '../../src/storage/watch-cache/open-cached-store.js';

/** A MemoryStore whose watches a cache serves, as those of a server. */
export class WatchedMemoryStore extends MemoryStore implements ObjectStore {
  readonly #cache: Promise<CachedStore>;

  constructor(options: MemoryStoreOptions = {}) {
    super(options);
    // every change is an own one, so nothing is polled for
    this.#cache = openCachedStore(this, { scheduler: options.scheduler, pollMinMs: 1e9, pollMaxMs: 1e9 });
  }

  override compact(revision: number): void {
    super.compact(revision);
    void this.#cache.then((cache) => cache.forgetHistory(revision));
  }

  async watch(range: KeyRange, options: WatchOptions, receive: WatchReceiver): Promise<Watch> {
    return (await this.#cache).watch(range, options, receive);
  }
}
