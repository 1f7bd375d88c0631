import type { WatchedMemoryStore } from './watched-memory-store.js';
import type { KeyRange, ObjectStore } from '../../src/storage/object-store.js';
import { RegistryFixture } from './registry-fixture.js';
import { withMethods } from './with-methods.js';

type Call = 'get' | 'list' | 'update';

/** A store that runs a callback right after a read, as if another replica were faster than the reader. */
export class InterleavedStore {
  readonly #memory: WatchedMemoryStore;
  #next:
    | { readonly read: Call; readonly resource: string; readonly name: string | undefined; readonly happens: () => Promise<unknown> }
    | undefined;

  constructor(memory: WatchedMemoryStore) {
    this.#memory = memory;
  }

  /** Runs `happens` once, after the store has answered the next read of this resource or, with `name`, of this object. */
  afterNext(read: Call, resource: string, happens: () => Promise<unknown>, name?: string): void {
    this.#next = { read, resource, happens, name };
  }

  /** Runs `happens` once, after the registry has decided on an update of this object and before the store applies it. */
  beforeUpdate(resource: string, name: string, happens: () => Promise<unknown>): void {
    this.#next = { read: 'update', resource, name, happens };
  }

  store(): ObjectStore {
    const memory = this.#memory;
    const get: ObjectStore['get'] = async (key, consistency) => this.#interleave('get', key, await memory.get(key, consistency));
    const list: ObjectStore['list'] = async (range, options) => this.#interleave('list', range, await memory.list(range, options));
    const update: ObjectStore['update'] = async (current, value, options) => {
      await this.#interleave('update', current.key, undefined);
      return memory.update(current, value, options);
    };
    return withMethods<ObjectStore>(memory, { get, list, update });
  }

  async #interleave<T>(read: Call, { resource, name }: KeyRange, answer: T): Promise<T> {
    const next = this.#next;
    if (next?.read !== read || next.resource !== resource || (next.name !== undefined && next.name !== name)) return answer;
    this.#next = undefined;
    await next.happens();
    return answer;
  }
}

/** A registry over an InterleavedStore. */
export async function interleaved(): Promise<{ registry: RegistryFixture; replicas: InterleavedStore }> {
  let replicas: InterleavedStore | undefined;
  const registry = await new RegistryFixture((memory) => (replicas = new InterleavedStore(memory)).store()).withNamespace();
  if (!replicas) throw new Error('the fixture made no store');
  return { registry, replicas };
}
