import type { History, Commit } from '../check/history.js';
import type { SimulatedSocket } from '../network/simulated-socket.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import type { World } from '../world/world.js';
import type { Random } from '../../fuzz/random.js';
import { type Change, type Contents, copyOf } from './contents.js';
import { RowLock } from './row-lock.js';
import type { SeenLease } from './simulated-statement.js';
import { Session } from './session.js';

/** Maximum duration of statements, in milliseconds. */
export interface Speed {
  readonly executionMs: number;
  readonly commitMs: number;
}

export interface InstanceOptions {
  readonly name: string;
  readonly world: World;
  readonly history: History;
  readonly contents: Contents;
  readonly file: string;
  readonly skewMs: number;
  readonly inRecovery?: boolean;
  readonly speed: Speed;
  readonly random: Random;
  /** Of the run that crashed, if its postmaster goes on: sessions are gone, and what was not on disk. */
  readonly started?: number | undefined;
  readonly firstPid: number;
  /** Called with each commit that is on disk, for standbys. */
  readonly ship: (change: Change, head: Commit) => void;
}

/** A running PostgreSQL with its files. */
export class SimulatedInstance {
  readonly process: SimulatedProcess;
  readonly world: World;
  readonly contents: Contents;
  readonly file: string;
  readonly inRecovery: boolean;
  /** Start time by its own clock. */
  readonly started: number;
  readonly counterLock: RowLock;
  /** The rows of lease_seen: of this run alone. */
  readonly seen = new Map<string, SeenLease>();
  readonly #options: InstanceOptions;
  readonly #sessions = new Map<number, Session>();
  #nextPid: number;
  /** What is visible and not on disk, in order, and the contents without it. */
  #unflushed: { readonly change: Change; readonly head: Commit }[] = [];
  #durable: Contents | undefined;
  #ahead = 0;
  #steppedAt = -Infinity;

  constructor(options: InstanceOptions) {
    const { name, world, contents, file, skewMs, inRecovery = false } = options;
    this.#nextPid = options.firstPid;
    this.#options = options;
    this.process = new SimulatedProcess(name, { skewMs });
    this.world = world;
    this.contents = contents;
    this.file = file;
    this.inRecovery = inRecovery;
    this.started = options.started ?? world.wallMs(skewMs);
    this.counterLock = new RowLock(world);
  }

  /** What a crash leaves. */
  get durable(): Contents {
    return this.#durable ?? this.contents;
  }

  /** Its wall clock, wherever it has stepped to. */
  get wallMs(): number {
    return this.world.wallMs(this.process.skewMs) + this.#ahead;
  }

  /** By less than ten minutes, and not twice within a duration of leases (docs/guarantees.md). */
  stepClock(size: number): void {
    if (this.world.now() < this.#steppedAt + 10_000) return;
    this.#steppedAt = this.world.now();
    this.#ahead = (size % 540_000) - 270_000;
  }

  executionMs(): number {
    return this.#part(this.#options.speed.executionMs);
  }

  commitMs(): number {
    return this.#part(this.#options.speed.commitMs);
  }

  accept(socket: SimulatedSocket): Session {
    const session = new Session(this, socket, this.#nextPid++);
    this.#sessions.set(session.pid, session);
    return session;
  }

  forget(session: Session): void {
    this.#sessions.delete(session.pid);
  }

  terminate(pid: number): void {
    this.#sessions.get(pid)?.terminate();
  }

  isIdle(pid: number, start: string): boolean | undefined {
    const session = this.#sessions.get(pid);
    return session?.start === start ? session.idle : undefined;
  }

  get listeners(): number {
    return [...this.#sessions.values()].filter(({ channels }) => channels.size > 0).length;
  }

  /** Makes a change visible, and durable only with the next flush. */
  commitEarly(change: Change, pid: number, channel: string | undefined): void {
    const { contents } = this;
    this.#durable ??= copyOf(contents);
    if (change.given) contents.head = this.#options.history.add(contents.head, change.given.from, change.given.to, change.given.entries);
    change.apply(contents);
    this.#options.history.isVisible(contents.head);
    this.#unflushed.push({ change, head: contents.head });
    this.world.trace(() => `commits ${change.given?.from} to ${change.given?.to} in memory`);
    if (channel) for (const session of this.#sessions.values()) session.notify(pid, channel);
  }

  /** Whatever is visible is on disk, and sent to standbys. */
  flush(): void {
    for (const { change, head } of this.#unflushed) {
      this.#options.history.flushed(head);
      this.#options.ship(change, head);
    }
    this.#unflushed = [];
    this.#durable = undefined;
  }

  /** Atomically makes the changes visible and durable, with all that was visible before, and sends them to standbys. */
  commit(changes: readonly Change[], pid: number, channel: string | undefined): void {
    const { contents } = this;
    if (changes.length > 0) this.flush();
    for (const change of changes) {
      const { given } = change;
      if (given) contents.head = this.#options.history.add(contents.head, given.from, given.to, given.entries);
      change.apply(contents);
      this.#options.ship(change, contents.head);
      if (given) this.world.trace(() => `commits ${given.from} to ${given.to}: ${given.entries.map(textOf).join(', ') || 'nothing'}`);
    }
    if (channel) for (const session of this.#sessions.values()) session.notify(pid, channel);
  }

  /** Ends immediately. `told`: whether the clients are notified. */
  crash(told: boolean): void {
    for (const session of [...this.#sessions.values()]) if (told) session.terminate();
    this.process.kill();
    for (const { head } of this.#unflushed.reverse()) this.#options.history.takeBack(head);
    this.#unflushed = [];
  }

  #part(most: number): number {
    return (this.#options.random.next() / 0x1_0000_0000) * most;
  }
}

function textOf({ kind, revision, object }: { kind: string; revision: number; object: { path: string; resource: string } }): string {
  return `${kind} ${object.resource.split('.')[0]} ${object.path}@${revision}`;
}
