import { WatchCheck } from '../check/watch-check.js';
import type { KeyRange, Watch, WatchItem, WatchOptions } from '../../../src/storage/object-store.js';
import { isStorageError } from '../../../src/storage/storage-errors.js';
import type { Random } from '../../fuzz/random.js';
import { network } from '../network/network.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import { Finding } from '../world/world.js';
import type { Context } from './context.js';
import { type SimulatedServer, ServerLost } from './simulated-server.js';
import { LEASES, NAMESPACES } from './writer.js';

/** Watches on one server and then on another, and resumes from its last position. */
export class Watcher {
  readonly check: WatchCheck;
  readonly name: string;
  readonly #context: Context;
  readonly #random: Random;
  readonly #process: SimulatedProcess;
  readonly #range: KeyRange;
  readonly #odd: boolean;
  /** The watch whose items count. */
  #watch: object | undefined;
  /** Keeps items in order. */
  #arrival = 0;

  /** Without a range, a random one of leases. */
  constructor(context: Context, name: string, range?: KeyRange) {
    this.#context = context;
    this.name = name;
    this.#random = context.world.stream();
    this.#process = new SimulatedProcess(name);
    const namespace = this.#random.chance(0.5) ? this.#random.pick(NAMESPACES) : undefined;
    const named = namespace !== undefined && this.#random.chance(0.3);
    this.#range = range ?? { resource: LEASES, ...(namespace && { namespace }), ...(named && { name: 'x' }) };
    this.#odd = this.#random.chance(0.3) && !range;
    this.check = new WatchCheck(context.history, context.freshness, this.#range, this.#odd ? isOdd : undefined);
    context.world.after(0, () => void this.#run(), this.#process);
  }

  async #run(): Promise<void> {
    const { world } = this.#context;
    for (;;) {
      await world.sleep(this.#random.below(this.#random.chance(0.1) ? 6_000 : 100));
      try {
        await this.#watchOnce(this.#random.pick(this.#context.servers));
      } catch (error) {
        if (error instanceof ServerLost || isStorageError(error, 'Unavailable')) continue;
        world.report(error);
      }
    }
  }

  /** Runs until the watch ends: by itself, with its server, or because the client moves to another server. */
  async #watchOnce(server: SimulatedServer): Promise<void> {
    const { world, endsAt } = this.#context;
    const { check } = this;
    const withState = check.position === undefined || this.#random.chance(0.1);
    const options: WatchOptions = {
      bookmarks: true,
      ...(withState ? { initialState: { kind: this.#random.pick(['latest', 'any'] as const) } } : { after: BigInt(check.position ?? 0) }),
      ...(this.#odd && { predicate: isOdd }),
    };
    const own = (this.#watch = {});
    check.begins(withState);
    await new Promise<void>((resolve, reject) => {
      const end = () => (own === this.#watch && (this.#watch = undefined), resolve());
      const work = () => this.#open(server, options, own, end);
      server.call(this.#process, work).then((watch) => {
        if (!watch) return end();
        if (world.now() < endsAt && this.#random.chance(0.5)) world.after(this.#random.below(8_000), () => this.#leave(server, watch, end));
      }, reject);
      server.process.onKill(() => world.after(network(world).latency(), end, this.#process));
    });
    check.begins(false);
  }

  async #open(server: SimulatedServer, options: WatchOptions, own: object, end: () => void): Promise<Watch | undefined> {
    const { world } = this.#context;
    const watch = await server.store?.watch(this.#range, options, (items) => {
      this.#deliver(() => {
        if (own !== this.#watch) return;
        for (const item of items) this.#take(item, () => server.oldest);
      });
    });
    void watch?.closed.then(() => this.#deliver(end));
    world.trace(() => `${this.name} watches ${'after' in options ? `after ${String(options.after)}` : 'from the state on'}`);
    return watch;
  }

  #take(item: WatchItem, oldest: () => number): void {
    const { world } = this.#context;
    world.trace(() =>
      item.kind === 'event'
        ? `${item.event.type} ${item.event.revision}`
        : item.kind === 'bookmark'
          ? `bookmark ${item.revision}`
          : item.error.message,
    );
    this.check.receive(item, oldest);
  }

  #leave(server: SimulatedServer, watch: Watch, end: () => void): void {
    const { world } = this.#context;
    end();
    world.after(network(world).latency(), () => watch.close(), server.process);
  }

  /** Delivers items to the client in order. */
  #deliver(take: () => void): void {
    const { world } = this.#context;
    this.#arrival = Math.max(this.#arrival, world.now() + network(world).latency());
    world.after(this.#arrival - world.now(), take, this.#process);
  }
}

/** Once nothing more arrives: every watcher has seen everything up to this revision. */
export function requireComplete(watchers: readonly Watcher[], revision: number): void {
  const behind = watchers.find(({ check }) => !check.isComplete(revision));
  if (behind) throw new Finding(`${behind.name} stands at ${behind.check.position} at the end, of ${revision}`);
}

export function isOdd({ data }: { readonly data: string }): boolean {
  return data.includes('"odd":true');
}
