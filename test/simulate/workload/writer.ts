import type { WriteAttempt } from '../check/write-check.js';
import type { ObjectKey, StoredObject } from '../../../src/storage/object-store.js';
import type { Requester } from '../../../src/storage/requester.js';
import type { CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import type { Random } from '../../fuzz/random.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import type { Context } from './context.js';
import { type SimulatedServer, ServerLost } from './simulated-server.js';

export const LEASES = 'leases.coordination.k8s.io';
export const NAMESPACES = ['a', 'b'] as const;
const NAMES = ['w', 'x', 'y', 'z'] as const;

export interface WriterOptions {
  /** Maximum time between two writes. */
  readonly thinkMs: number;
  /** Number of concurrent writes. */
  readonly parallel: number;
  readonly padding: number;
}

/** Reads an object from any server, however stale, and replaces what it has read. */
export class Writer {
  readonly #context: Context;
  readonly #options: WriterOptions;
  readonly #random: Random;
  readonly #process: SimulatedProcess;
  #writes = 0;
  /** The last state seen of each object. */
  readonly #seen = new Map<string, StoredObject | undefined>();

  constructor(context: Context, name: string, options: WriterOptions) {
    this.#context = context;
    this.#options = options;
    this.#random = context.world.stream();
    this.#process = new SimulatedProcess(name);
    for (let i = 0; i < options.parallel; i++) context.world.after(0, () => void this.#run(), this.#process);
  }

  async #run(): Promise<void> {
    const { world, endsAt } = this.#context;
    while (world.now() < endsAt) {
      await world.sleep(this.#random.below(this.#options.thinkMs));
      try {
        await this.#act(this.#random.pick(this.#context.servers));
      } catch (error) {
        if (!(error instanceof ServerLost)) world.report(error);
      }
    }
  }

  async #act(server: SimulatedServer): Promise<void> {
    const key = this.#pickKey();
    const id = objectId(key);
    if (!this.#seen.has(id) || this.#random.chance(0.2)) {
      const consistency = { kind: this.#random.pick(['latest', 'any', 'any'] as const) };
      const read = await server.call(this.#process, async () => this.#read(server, key, consistency));
      if (read) this.#seen.set(id, read.object);
      if (!read) return;
    }
    await this.#write(server, key, this.#seen.get(id));
  }

  async #read(server: SimulatedServer, key: ObjectKey, consistency: { kind: 'latest' | 'any' }) {
    const { freshness, reads } = this.#context;
    const mark = freshness.mark();
    const range = { resource: key.resource, namespace: key.namespace, name: key.name };
    try {
      const answer = await server.store?.get(key, consistency);
      if (answer) {
        reads.answered({ range, consistency }, mark, { objects: answer.object ? [answer.object] : [], revision: answer.revision });
      }
      return answer;
    } catch (error) {
      reads.refused({ range, consistency }, error);
      return undefined;
    }
  }

  async #write(server: SimulatedServer, key: ObjectKey, current: StoredObject | undefined): Promise<void> {
    const { writes, freshness, world } = this.#context;
    const id = `${this.#process.name}-${++this.#writes}`;
    const hurried = this.#random.chance(0.1);
    const kind = current ? (this.#random.chance(0.2) ? 'D' : 'M') : 'A';
    const container = kind === 'A' && key.namespace ? namespaceKey(key.namespace) : undefined;
    const attempt: WriteAttempt = { kind, key, current, container, id, hurried, mark: freshness.mark(), state: 'open' };
    writes.begin(attempt);
    const requester: Requester = { deadline: hurried ? world.steadyMs(server.process) + this.#random.below(40) : Infinity };
    try {
      const result = await server.call(this.#process, async () => {
        const { store } = server;
        return store && this.#carryOut(store, attempt, requester);
      });
      if (result === undefined) return;
      const { revision, object } = result;
      world.trace(() => `${kind} of ${key.namespace}/${key.name} is done at ${revision}`);
      writes.done(attempt, revision, object);
      this.#seen.set(objectId(key), object);
    } catch (error) {
      this.#seen.delete(objectId(key));
      if (error instanceof ServerLost) throw error;
      world.trace(() => `${kind} of ${key.namespace}/${key.name} is refused: ${String(error)}`);
      writes.refused(attempt, error);
    }
  }

  async #carryOut(store: CachedStore, attempt: WriteAttempt, requester: Requester): Promise<{ revision: number; object?: StoredObject }> {
    const { kind, key, current, container, id } = attempt;
    if (kind === 'D' && current) return { revision: await store.delete(current, { requester }) };
    const terminating = key.resource === 'namespaces' && this.#random.chance(0.3);
    const value = { uid: current?.uid ?? `uid-${id}`, data: this.#data(id), terminating };
    const object = current ? await store.update(current, value, { requester }) : await store.create(key, value, { requester, container });
    return { revision: object.revision, object };
  }

  #data(id: string): string {
    return JSON.stringify({ w: id, odd: this.#random.chance(0.5), padding: 'x'.repeat(this.#random.below(this.#options.padding)) });
  }

  #pickKey(): ObjectKey {
    const namespace = this.#random.pick(NAMESPACES);
    if (this.#random.chance(0.2)) return namespaceKey(namespace);
    return { resource: LEASES, namespace, name: this.#random.pick(NAMES) };
  }
}

export function namespaceKey(name: string): ObjectKey {
  return { resource: 'namespaces', namespace: '', name };
}

function objectId({ resource, namespace, name }: ObjectKey): string {
  return `${resource} ${namespace}/${name}`;
}
