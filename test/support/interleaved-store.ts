import type { MemoryStore } from '../../src/storage/memory-store.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { RegistryFixture } from './registry-fixture.js';

type Read = 'get' | 'list';

/** A store in which something happens right after a read, as where another replica is faster than the reader. */
export class InterleavedStore {
  readonly #memory: MemoryStore;
  #next: { readonly read: Read; readonly resource: string; readonly happens: () => Promise<unknown> } | undefined;

  constructor(memory: MemoryStore) {
    this.#memory = memory;
  }

  /** Happens once, after the next read of this resource has its answer. */
  afterNext(read: Read, resource: string, happens: () => Promise<unknown>): void {
    this.#next = { read, resource, happens };
  }

  store(): ObjectStore {
    const memory = this.#memory;
    const get: ObjectStore['get'] = async (key, consistency) => this.#interleave('get', key.resource, await memory.get(key, consistency));
    const list: ObjectStore['list'] = async (range, options) => this.#interleave('list', range.resource, await memory.list(range, options));
    return new Proxy<ObjectStore>(memory, {
      get: (target, name) => {
        if (name === 'get') return get;
        if (name === 'list') return list;
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  async #interleave<T>(read: Read, resource: string, answer: T): Promise<T> {
    const next = this.#next;
    if (next?.read !== read || next.resource !== resource) return answer;
    this.#next = undefined;
    await next.happens();
    return answer;
  }
}

/** A registry over such a store. */
export async function interleaved(): Promise<{ registry: RegistryFixture; replicas: InterleavedStore }> {
  let replicas: InterleavedStore | undefined;
  const registry = await new RegistryFixture((memory) => (replicas = new InterleavedStore(memory)).store()).withNamespace();
  if (!replicas) throw new Error('the fixture made no store');
  return { registry, replicas };
}
