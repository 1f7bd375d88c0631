import type { Commit, History } from '../check/history.js';
import type { Network } from '../network/network.js';
import type { World } from '../world/world.js';
import type { Random } from '../../fuzz/random.js';
import { type Change, type Contents, copyOf, newContents } from './contents.js';
import { type Speed, SimulatedInstance } from './simulated-instance.js';

export interface ClusterOptions {
  readonly world: World;
  readonly network: Network;
  readonly history: History;
  readonly speed: Speed;
  /** Whether a commit reaches the standby before it becomes visible. */
  readonly synchronous: boolean;
  /** Maximum lag of the standby, in milliseconds. */
  readonly lagMs: number;
  /** Maximum clock skew. Less than half the time between two starts. */
  readonly skewMs: number;
}

const FILE = 'base/16384/16400';
/** A restored database that no server has ever written to is new, and begins again. */
function isNew({ counter }: Contents): boolean {
  return counter.lineage === 0;
}

/** Time between two starts of PostgreSQL. */
const LEAST_DOWNTIME_MS = 500;

/** The PostgreSQL servers behind one address: a primary, a standby, a backup, and possibly an old primary that keeps running. */
export class Cluster {
  /** Each start of a primary, with its last commit at that time. */
  readonly births: { readonly at: number; readonly head: Commit }[] = [];
  /** The last commit of each primary that has ended. Its responses may still be in transit. */
  readonly ends: Commit[] = [];
  /** Whether the address leads to a standby. */
  misdirected = false;
  readonly #options: ClusterOptions;
  readonly #random: Random;
  #primary: SimulatedInstance | undefined;
  #contents: Contents;
  #standby: Contents;
  #backup: Contents;
  #old: SimulatedInstance | undefined;
  #replica: SimulatedInstance | undefined;
  #lastLoss = -Infinity;
  /** Whether two databases have ever accepted writes at the same time. */
  #forked = false;
  #starts = 0;
  #shipping = 0;
  /** Commits that the standby has not received yet. */
  #onTheWay: (() => void)[] = [];

  constructor(options: ClusterOptions) {
    const { world, network, history } = options;
    this.#options = options;
    this.#random = world.stream();
    this.#contents = newContents(history.root, world.wallMs(0));
    this.#standby = copyOf(this.#contents);
    this.#backup = copyOf(this.#contents);
    network.accept = (socket) => (this.misdirected ? this.#replica : this.#primary)?.accept(socket);
    this.#start();
  }

  /** Undefined while there is no primary. */
  get primary(): SimulatedInstance | undefined {
    return this.#primary;
  }

  /** The contents that the address leads to now or next. */
  get contents(): Contents {
    return this.#contents;
  }

  /** All instances that accept writes. */
  get living(): SimulatedInstance[] {
    return [this.#primary, this.#old].filter((instance) => instance?.process.alive === true) as SimulatedInstance[];
  }

  /** When the database last lost acknowledged commits; now, while a second one accepts writes. */
  get lastLoss(): number {
    return this.#old ? this.#options.world.now() : this.#lastLoss;
  }

  get isForked(): boolean {
    return this.#forked;
  }

  /** The same files under a new run of PostgreSQL. */
  restart(told: boolean): void {
    if (!this.#stop(told)) return;
    this.#startLater();
  }

  /** One of its processes is killed: the postmaster ends the others, and goes on with what is on disk. */
  crashWithin(): void {
    const same = this.#primary;
    if (same && this.#stop(true)) this.#startLater(same);
  }

  /** The standby takes over with its contents. `oldLives`: the old primary keeps serving its existing connections. */
  failover(told: boolean, oldLives: boolean): void {
    if (!this.#primary || isNew(this.#standby)) return;
    if (oldLives) {
      this.endOld();
      this.#forked = true;
      this.#old = this.#primary;
      this.#primary = undefined;
    } else this.#stop(told);
    this.#replaceBy(this.#standby);
    this.#startLater();
  }

  backUp(): void {
    this.#backup = copyOf(this.#primary?.durable ?? this.#contents);
  }

  restore(): void {
    if (isNew(this.#backup) || !this.#stop(true)) return;
    this.endOld();
    this.#replaceBy(copyOf(this.#backup));
    this.#startLater();
  }

  endOld(): void {
    if (!this.#old) return;
    this.#old.crash(true);
    this.ends.push(this.#old.durable.head);
    this.#old = undefined;
    this.#lastLoss = this.#options.world.now();
  }

  /** For `ms`, new connections lead to a standby. */
  misdirect(ms: number): void {
    const { world } = this.#options;
    this.#replica ??= this.#instance(copyOf(this.#standby), 'replica', true);
    this.misdirected = true;
    world.after(ms, () => (this.misdirected = false), null);
  }

  #stop(told: boolean): boolean {
    if (!this.#primary) return false;
    this.#primary.crash(told);
    this.#contents = this.#primary.durable;
    this.ends.push(this.#contents.head);
    this.#primary = undefined;
    return true;
  }

  #replaceBy(contents: Contents): void {
    const { world } = this.#options;
    this.#onTheWay = [];
    if (contents.head !== this.#contents.head) {
      this.#lastLoss = world.now();
      world.trace(() => `the database goes back from ${this.#contents.head.to} to ${contents.head.to}`);
    }
    this.#contents = contents;
    this.#standby = copyOf(contents);
  }

  #startLater(same?: SimulatedInstance): void {
    const { world } = this.#options;
    const ms = LEAST_DOWNTIME_MS + this.#random.below(2_500);
    world.after(ms, () => this.#start(same), null);
  }

  #start(same?: SimulatedInstance): void {
    const { world } = this.#options;
    this.#primary = this.#instance(this.#contents, `postgres-${++this.#starts}`, false, same);
    this.births.push({ at: world.now(), head: this.#contents.head });
    world.trace(() => `${this.#primary!.process.name} starts at ${this.#contents.head.to}`);
  }

  #instance(contents: Contents, name: string, inRecovery: boolean, same?: SimulatedInstance): SimulatedInstance {
    const { world, history, speed, skewMs: most } = this.#options;
    const skewMs = same?.process.skewMs ?? (this.#random.next() / 0x1_0000_0000 - 0.5) * most;
    const number = this.#starts;
    const ship = (change: Change, head: Commit) => {
      if (number === this.#starts && !inRecovery && this.#primary?.contents === contents) this.#ship(change, head);
    };
    const random = world.stream();
    const run = { started: same?.started, firstPid: 100 * (number + 1) };
    return new SimulatedInstance({ name, world, history, contents, file: FILE, skewMs, ...run, inRecovery, speed, random, ship });
  }

  #ship(change: Change, head: Commit): void {
    const { world, synchronous, lagMs } = this.#options;
    const standby = this.#standby;
    const apply = () => {
      change.apply(standby);
      standby.head = head;
    };
    if (synchronous) return apply();
    this.#onTheWay.push(apply);
    this.#shipping = Math.max(this.#shipping, world.now() + (this.#random.next() / 0x1_0000_0000) * lagMs);
    const arrive = () => {
      if (this.#onTheWay[0] === apply) this.#onTheWay.shift()?.();
    };
    world.after(this.#shipping - world.now(), arrive, null);
  }
}
