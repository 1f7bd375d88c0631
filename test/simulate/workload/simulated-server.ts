import type { Logger } from 'pino';
import { Database } from '../../../src/storage/database/database.js';
import { type PostgresStoreOptions, assemblePostgresStore } from '../../../src/storage/postgres/open-postgres-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { type CachedStoreOptions, CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import { network } from '../network/network.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import type { World } from '../world/world.js';

export interface ServerOptions {
  readonly world: World;
  readonly name: string;
  readonly store: PostgresStoreOptions;
  readonly cache: CachedStoreOptions;
  /** Runs alongside the store once it is ready; returns a function that ends it. */
  readonly onReady?: (server: SimulatedServer) => Promise<() => Promise<void>>;
}

/** A request without an answer, because its server has ended. */
export class ServerLost extends Error {}

const RESTART_MS = 1_000;

/** A server process that is restarted whenever it ends. Clients call it over the network. */
export class SimulatedServer {
  readonly name: string;
  readonly #options: ServerOptions;
  #process: SimulatedProcess;
  #inner: PostgresStore | undefined;
  #store: CachedStore | undefined;
  #stop: (() => Promise<void>) | undefined;
  #starts = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.name = options.name;
    this.#process = this.#start();
  }

  get process(): SimulatedProcess {
    return this.#process;
  }

  /** Undefined while it starts. */
  get store(): CachedStore | undefined {
    return this.#process.alive ? this.#store : undefined;
  }

  /** The store below its cache. */
  get inner(): PostgresStore | undefined {
    return this.#process.alive ? this.#inner : undefined;
  }

  /** The oldest revision from which it can serve a watch. */
  get oldest(): number {
    return this.#store?.statistics().oldestRevision ?? Infinity;
  }

  /** Ends it immediately; it restarts after a while. */
  crash(): void {
    if (!this.#process.alive) return;
    this.#process.kill();
    this.#restart();
  }

  /** Shuts it down in an orderly way. */
  shutDown(): void {
    const { world } = this.#options;
    const running = this.#process;
    const [inner, store, stop] = [this.#inner, this.#store, this.#stop];
    if (!inner || !store) return this.crash();
    world.after(0, () => void ending(), running);
    const ending = async () => {
      await stop?.();
      store.close();
      await inner.close();
      if (running === this.#process) this.crash();
    };
  }

  /** Runs `work` in the server for a client. The result arrives over the network, or the call rejects with ServerLost. */
  call<T>(client: SimulatedProcess, work: () => Promise<T>): Promise<T> {
    const { world } = this.#options;
    const server = this.#process;
    const latency = () => network(world).latency();
    return new Promise((resolve, reject) => {
      const lost = () => world.after(latency(), () => reject(new ServerLost(`${this.name} is gone`)), client);
      if (!server.alive) return lost();
      const forget = server.onKill(lost);
      const answer = (settle: () => void) => {
        world.after(latency(), () => (forget(), settle()), client);
      };
      const run = () => {
        work().then(
          (result) => answer(() => resolve(result)),
          (error: unknown) => answer(() => reject(error instanceof Error ? error : new Error(String(error)))),
        );
      };
      world.after(latency(), run, server);
    });
  }

  #start(): SimulatedProcess {
    const { world, name } = this.#options;
    const server = new SimulatedProcess(`${name}.${++this.#starts}`, {
      skewMs: (world.fraction() - 0.5) * 200,
      rate: world.someRate(),
    });
    this.#store = this.#inner = this.#stop = undefined;
    world.after(0, () => void this.#run(server), server);
    return server;
  }

  async #run(server: SimulatedProcess): Promise<void> {
    const { world, name, store: storeOptions, cache, onReady } = this.#options;
    const logger = loggerOf(world);
    const database = new Database({ url: `postgres://sim@${name}/db`, schema: 'coordination' }, logger);
    const scheduler = world.clockOf(server);
    const inner = assemblePostgresStore(database, storeOptions, logger, scheduler);
    try {
      await inner.start();
      const store = new CachedStore(inner, { ...cache, initialPage: 1, scheduler });
      await store.start();
      this.#inner = inner;
      this.#store = store;
      world.trace(() => 'is ready');
      this.#stop = await onReady?.(this);
    } catch (error) {
      world.trace(() => `cannot start: ${String(error)}`);
      if (server === this.#process) this.crash();
    }
  }

  #restart(): void {
    const { world } = this.#options;
    this.#store = this.#inner = undefined;
    world.after(RESTART_MS * (0.5 + world.fraction()), () => (this.#process = this.#start()), null);
  }
}

export function loggerOf(world: World): Logger {
  const line = (first: unknown, text?: string) => {
    const { err, ...facts } = typeof first === 'object' ? ({ ...first } as { err?: Error }) : {};
    world.trace(
      () => `log: ${text ?? String(first)}${err ? `: ${err.message}` : ''} ${Object.keys(facts).length > 0 ? JSON.stringify(facts) : ''}`,
    );
  };
  return { debug: line, info: line, warn: line, error: line } as unknown as Logger;
}
