import type { WatchedMemoryStore } from './watched-memory-store.js';
import { objectPath } from '../../src/storage/object-path.js';
import type { ObjectKey, ObjectStore, StoredObject } from '../../src/storage/object-store.js';
import { RegistryFixture } from './registry-fixture.js';
import { withMethods } from './with-methods.js';

const pathOf = (key: ObjectKey) => `${key.resource} ${objectPath(key)}`;

/** A cache in front of a WatchedMemoryStore that stops following frozen keys, and records how leases are read. */
export class LaggingCache {
  readonly #memory: WatchedMemoryStore;
  readonly #frozen = new Map<string, StoredObject | undefined>();
  reads: string[] = [];

  constructor(memory: WatchedMemoryStore) {
    this.#memory = memory;
  }

  /** From now on the cache shows the object's present state. */
  async freeze(key: ObjectKey): Promise<void> {
    this.#frozen.set(pathOf(key), (await this.#memory.get(key, { kind: 'latest' })).object);
  }

  store(): ObjectStore {
    const suggest: ObjectStore['suggest'] = (key) => {
      if (key.resource !== 'namespaces') this.reads.push('suggestion');
      const path = pathOf(key);
      return this.#frozen.has(path) ? this.#frozen.get(path) : this.#memory.suggest(key);
    };
    const get: ObjectStore['get'] = async (key, consistency) => {
      if (key.resource !== 'namespaces') this.reads.push(consistency.kind);
      const path = pathOf(key);
      if (consistency.kind === 'any' && this.#frozen.has(path)) return { object: this.#frozen.get(path), revision: 1 };
      return this.#memory.get(key, consistency);
    };
    return withMethods<ObjectStore>(this.#memory, { get, suggest });
  }
}

/** A registry over a LaggingCache. */
export async function lagging(): Promise<{ registry: RegistryFixture; cache: LaggingCache }> {
  let cache: LaggingCache | undefined;
  const registry = await new RegistryFixture((memory) => (cache = new LaggingCache(memory)).store()).withNamespace();
  if (!cache) throw new Error('the fixture made no store');
  return { registry, cache };
}
