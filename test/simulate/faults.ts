import type { Random } from '../fuzz/random.js';
import { network } from './network/network.js';
import type { Cluster } from './postgres/cluster.js';
import type { Candidate } from './workload/candidate.js';
import type { SimulatedServer } from './workload/simulated-server.js';
import type { World } from './world/world.js';

export const FAULTS = [
  'restart',
  'silent restart',
  'crash within',
  'failover',
  'silent failover',
  'old primary',
  'database clock',
  'backup',
  'restore',
  'standby address',
  'server crash',
  'server shutdown',
  'server pause',
  'server cut off',
  'client pause',
  'client cut off',
  'silent connections',
  'closed connections',
  'slow network',
  'compaction',
  'rotation',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultOptions {
  readonly world: World;
  readonly cluster: Cluster;
  readonly servers: readonly SimulatedServer[];
  readonly candidates: readonly Candidate[];
  /** The faults that may happen. */
  readonly enabled: readonly Fault[];
  /** Faults that are left out, without affecting the others. */
  readonly without: readonly Fault[];
  /** Average time between two faults. */
  readonly everyMs: number;
  readonly endsAt: number;
}

/** Injects faults until the end of the history. */
export class Faults {
  readonly happened = new Set<Fault>();
  readonly #options: FaultOptions;
  readonly #random: Random;

  constructor(options: FaultOptions) {
    this.#options = options;
    this.#random = options.world.stream();
    this.#next();
  }

  #next(): void {
    const { world, everyMs, endsAt, enabled, without } = this.#options;
    world.after(
      this.#random.below(2 * everyMs),
      () => {
        if (world.now() >= endsAt || enabled.length === 0) return;
        const fault = this.#random.pick(enabled);
        const [which, size] = [this.#random.next(), this.#random.next()];
        if (!without.includes(fault)) {
          world.trace(() => `FAULT: ${fault}`);
          this.happened.add(fault);
          this.#happen(fault, which, size);
        }
        this.#next();
      },
      null,
    );
  }

  #happen(fault: Fault, which: number, size: number): void {
    const { cluster, servers } = this.#options;
    const server = servers[which % servers.length]!;
    const actions: Record<Fault, () => void> = {
      restart: () => cluster.restart(true),
      'silent restart': () => cluster.restart(false),
      'crash within': () => cluster.crashWithin(),
      failover: () => cluster.failover(true, false),
      'silent failover': () => cluster.failover(false, false),
      'old primary': () => cluster.failover(true, true),
      'database clock': () => cluster.primary?.stepClock(size),
      backup: () => cluster.backUp(),
      restore: () => cluster.restore(),
      'standby address': () => cluster.misdirect(size % 4_000),
      'server crash': () => server.crash(),
      'server shutdown': () => server.shutDown(),
      'server pause': () => server.process.pause(this.#options.world.now() + (size % 8_000)),
      'server cut off': () => this.#cutOff(server, size % 25_000),
      'client pause': () => this.#candidate(which, (candidate) => candidate.process.pause(this.#options.world.now() + (size % 25_000))),
      'client cut off': () => this.#candidate(which, (candidate) => (candidate.cutOffUntil = this.#options.world.now() + (size % 30_000))),
      'silent connections': () => this.#silence(server, size),
      'closed connections': () => this.#eachSocket(server, size, (socket) => socket.hangUp()),
      'slow network': () => this.#slow(size),
      compaction: () =>
        this.#maintain(server, async (compactor) => {
          await compactor.rotate();
          await compactor.compact(cluster.contents.counter.value - (size % 40));
        }),
      rotation: () => this.#maintain(server, async (compactor) => compactor.rotate()),
    };
    actions[fault]();
  }

  #silence(server: SimulatedServer, size: number): void {
    this.#eachSocket(server, size, (socket) => (socket.silent = true));
  }

  #eachSocket(server: SimulatedServer, size: number, act: (socket: { silent: boolean; hangUp(): void }) => void): void {
    const sockets = [...network(this.#options.world).sockets].filter(({ owner }) => owner === server.process);
    sockets.forEach((socket, at) => {
      if (((size >> (at % 24)) & 1) === 1) act(socket);
    });
  }

  #candidate(which: number, act: (candidate: Candidate) => void): void {
    const { candidates } = this.#options;
    const candidate = candidates[which % candidates.length];
    if (candidate) act(candidate);
  }

  /** Cuts a server off from the database. */
  #cutOff({ process }: SimulatedServer, ms: number): void {
    const { world } = this.#options;
    const net = network(world);
    net.cutOff.add(process);
    for (const socket of net.sockets) if (socket.owner === process) socket.silent = true;
    world.after(ms, () => net.cutOff.delete(process), null);
  }

  #slow(size: number): void {
    const { world } = this.#options;
    network(world).slow = { until: world.now() + 3_000, ms: 50 + (size % 3_000) };
  }

  #maintain(
    server: SimulatedServer,
    work: (compactor: { compact(revision: number): Promise<void>; rotate(): Promise<void> }) => Promise<void>,
  ): void {
    const { world } = this.#options;
    world.after(0, () => void run(), server.process);
    const run = async () => {
      try {
        if (server.inner) await work(server.inner.compactor);
      } catch (error) {
        world.trace(() => `maintenance: ${String(error)}`);
      }
    };
  }
}
