import type { Cluster } from '../postgres/cluster.js';
import type { SimulatedProcess } from '../world/simulated-process.js';
import { type World, Finding } from '../world/world.js';

export interface Holder {
  readonly lease: string;
  readonly process: SimulatedProcess;
  /** When it acquired the lease. */
  readonly since: number;
  readonly token?: bigint;
  /** Whether, by its own clock, it believes that it still holds the lease. */
  readonly believes: () => boolean;
}

/** Who has seen a state that was lost, and by a clock that stands still sees its like again, takes it for unchanged. */
const REMEMBERED_MS = 20_000;

/**
 * No two running processes believe that they hold a lease at the same time, and the later one has the greater token. A loss of commits
 * excuses the former.
 */
export class Holders {
  readonly #world: World;
  readonly #cluster: Cluster;
  #holders: Holder[] = [];
  readonly #tokens = new Map<string, bigint>();
  terms = 0;

  constructor(world: World, cluster: Cluster) {
    this.#world = world;
    this.#cluster = cluster;
    world.beforeStep = () => this.#look();
  }

  begins(holder: Holder): void {
    this.terms++;
    this.#world.trace(() => `holds ${holder.lease}`);
    this.#holders.push(holder);
    const { token, lease } = holder;
    if (token === undefined) return;
    const newest = this.#tokens.get(lease) ?? 0n;
    if (token <= newest && !this.#cluster.isForked) {
      throw new Finding(`the later holder of ${lease} has ${token}, and an earlier one ${newest}`);
    }
    this.#tokens.set(lease, token > newest ? token : newest);
  }

  #look(): void {
    if (this.#holders.length === 0) return;
    this.#holders = this.#holders.filter(({ process, believes }) => process.alive && (!this.#runs(process) || believes()));
    const running = this.#holders.filter(({ process }) => this.#runs(process));
    for (const [at, holder] of running.entries()) {
      const other = running.slice(0, at).find(({ lease }) => lease === holder.lease);
      if (!other || this.#cluster.lastLoss >= Math.min(holder.since, other.since) - REMEMBERED_MS) continue;
      throw new Finding(`both ${other.process.name} and ${holder.process.name} hold ${holder.lease}`);
    }
  }

  /** A paused process does nothing, and has to catch up before it is asked. */
  #runs({ pausedUntil }: SimulatedProcess): boolean {
    return pausedUntil < this.#world.now();
  }
}
