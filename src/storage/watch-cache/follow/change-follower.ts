import type { Changes, ChangeSource, KnownStates, Snapshot } from '../../change-source.js';
import { KnownOutage } from '../../storage-errors.js';
import { Backoff } from '../../../time/backoff.js';
import type { Scheduler } from '../../../time/scheduler.js';
import { type Gate, closedError, ReadBarrier } from './read-barrier.js';

/** Receives events of a follower, for metrics and logs. Callbacks must not throw. */
export interface FollowerObserver {
  /** Events were applied, either from batches of this process or read from the database. */
  applied?(events: number, origin: 'own' | 'feed'): void;
  /** A snapshot was loaded; `continuous` is false if open watches could not continue across it. */
  loaded?(objects: number, continuous: boolean): void;
  /** Changes could not be read; the follower tries again. */
  readFailed?(error: unknown): void;
}

/** The cache that follows; it applies everything in single synchronous steps. */
export interface FollowerTarget {
  /** 0 until a snapshot has been loaded. */
  readonly revision: number;
  readonly known: KnownStates;
  load(snapshot: Snapshot): void;
  apply(changes: Changes, origin: 'own' | 'feed'): void;
}

/** Options of a follower. Times are in milliseconds. */
export interface FollowerOptions {
  readonly scheduler: Scheduler;
  readonly observer: FollowerObserver;
  /** How much history a snapshot should contain. */
  readonly historyMs: number;
  /**
   * Shortest and longest interval between polls: the shortest while only polls find changes, growing to the longest while they find none.
   */
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** How long a consistent read waits. */
  readonly barrierTimeoutMs: number;
}

/** Whether a follower keeps up. */
export interface FollowerHealth {
  readonly ready: boolean;
  /** Whether the last read succeeded. */
  readonly connected: boolean;
  /** Milliseconds since the database was last read. */
  readonly lagMs: number;
  readonly revision: number;
}

/** A wake-up so soon after the last read waits until then, so that one read has the commits of a moment. Barriers do not wait. */
const MOMENT_MS = 20;

/**
 * Keeps a target up to date with a change source. One read runs at a time; the next one starts on request (a barrier, an own batch that did
 * not fit, a wake-up, but not within a moment of the last read) or when the poll is due, and after a failure when the back-off ends. Own batches that start exactly at the
 * target's revision are applied at once; the target drops changes that it already has.
 */
export class ChangeFollower {
  readonly outage: KnownOutage;
  readonly #barrier: ReadBarrier;
  readonly #source: ChangeSource;
  readonly #target: FollowerTarget;
  readonly #options: FollowerOptions;
  readonly #subscriptions: (() => void)[] = [];
  readonly #backoff = new Backoff(100, 1_000);
  /** A read has been requested that has not started. */
  #requested = false;
  /** Only the poll caused the current or next read. */
  #polled = false;
  #loading = false;
  #endPause: (() => void) | undefined;
  #closed = false;
  /** Whether the last read failed. */
  #isFailing = false;
  #pollMs: number;
  #lastRead: number;
  #lastStarted = -Infinity;
  #cancelWake: (() => void) | undefined;

  constructor(source: ChangeSource, target: FollowerTarget, options: FollowerOptions) {
    this.#source = source;
    this.#target = target;
    this.#options = options;
    this.#pollMs = options.pollMinMs;
    this.#lastRead = options.scheduler.now();
    this.outage = new KnownOutage(options.scheduler);
    this.#barrier = new ReadBarrier(options.scheduler, options.barrierTimeoutMs, () => this.request());
  }

  /** Starts to follow. Resolves with the first snapshot, or rejects if the first attempt fails, but keeps trying. */
  start(): Promise<void> {
    this.#subscriptions.push(
      this.#source.onCommitted((changes) => this.#committed(changes)),
      this.#source.onWake(() => this.#wake()),
    );
    return new Promise((resolve, reject) => {
      void this.#run((error) => (error ? reject(error) : resolve()));
    });
  }

  /**
   * Resolves once the target has everything committed before this call. StorageError Unavailable if that takes too long, and at once during
   * a known outage.
   */
  pass(): Promise<void> {
    const refusal = this.outage.refusal();
    return refusal ? Promise.reject(refusal) : this.#barrier.pass();
  }

  /** Requests a read as soon as possible. */
  request(): void {
    this.#requested = true;
    if (!this.#isFailing) this.#endPause?.();
  }

  health(): FollowerHealth {
    const ready = this.#target.revision > 0;
    const lagMs = this.#options.scheduler.now() - this.#lastRead;
    return { ready, connected: ready && !this.#isFailing, lagMs, revision: this.#target.revision };
  }

  close(): void {
    this.#closed = true;
    for (const end of this.#subscriptions) end();
    this.#cancelWake?.();
    this.#endPause?.();
    this.outage.answered();
    this.#barrier.close();
  }

  #wake(): void {
    const { scheduler } = this.#options;
    const wait = this.#lastStarted + MOMENT_MS - scheduler.now();
    if (wait <= 0) return this.request();
    this.#cancelWake ??= scheduler.after(wait, () => {
      this.#cancelWake = undefined;
      this.request();
    });
  }

  async #run(first: (error?: Error) => void): Promise<void> {
    for (let attempt = 1; !this.#closed; attempt++) {
      const error = await this.#step();
      if (attempt === 1) first(error);
      if (this.#closed) return;
      await this.#pause(error ? this.#backoff.next() : this.#pollMs);
    }
  }

  /** Runs one read and returns its error, if any. */
  async #step(): Promise<Error | undefined> {
    this.#requested = false;
    this.#lastStarted = this.#options.scheduler.now();
    const gates = this.#barrier.take();
    try {
      await this.#read();
      // Changes since then were not applied, so no reader may proceed.
      if (this.#closed) return this.#endedBefore(gates);
      this.#isFailing = false;
      this.#backoff.reset();
      this.outage.ended();
      this.#lastRead = this.#options.scheduler.now();
      for (const gate of gates) gate.open();
      return undefined;
    } catch (error) {
      this.#isFailing = true;
      this.outage.failed(error);
      this.#options.observer.readFailed?.(error);
      this.#barrier.giveBack(gates, error);
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #endedBefore(gates: Gate[]): Error {
    const error = closedError();
    this.#barrier.giveBack(gates, error);
    return error;
  }

  /** Reads page by page, up to the revision that was newest when the last page was read. */
  async #read(): Promise<void> {
    for (let found = false; !this.#closed;) {
      const after = this.#target.revision;
      const changes = after === 0 ? 'compacted' : await this.#ask(after);
      if (changes === 'compacted' || changes.revision < after) break;
      // Own batches may have been applied since the read began, and lost with their database before it was answered.
      if (changes.gaps?.has(this.#target.revision)) break;
      found ||= changes.events.length > 0;
      if (!this.#closed) this.#target.apply(changes, 'feed');
      if (!changes.more) return this.#tunePoll(found);
      this.#lastRead = this.#options.scheduler.now();
      // Lets other work run between two pages.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#closed) return;
    // Either the history has been compacted, or the database went back to an older state or lost what the target has: start over.
    await this.#load();
  }

  async #ask(after: number): Promise<Changes | 'compacted'> {
    this.outage.asked();
    const changes = await this.#source.readChanges(after, this.#target.known);
    this.outage.answered();
    return changes;
  }

  /** The target does not change meanwhile, so the snapshot is never behind it. */
  async #load(): Promise<void> {
    this.#loading = true;
    try {
      const snapshot = await this.#source.loadSnapshot(this.#options.historyMs);
      if (!this.#closed) this.#target.load(snapshot);
    } finally {
      this.#loading = false;
    }
  }

  #committed(changes: Changes): void {
    const { revision } = this.#target;
    if (changes.after === revision && !this.#loading) this.#target.apply(changes, 'own');
    else if (changes.revision > revision) this.request();
  }

  /** A poll that finds changes means that wake-ups do not arrive. */
  #tunePoll(found: boolean): void {
    const { pollMinMs, pollMaxMs } = this.#options;
    this.#pollMs = this.#polled && found ? pollMinMs : Math.min(pollMaxMs, this.#pollMs * 2);
  }

  async #pause(ms: number): Promise<void> {
    if (this.#requested && !this.#isFailing) {
      this.#polled = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const cancel = this.#options.scheduler.after(ms, () => finish(true));
      const finish = (polled: boolean) => {
        cancel();
        this.#polled = polled;
        this.#endPause = undefined;
        resolve();
      };
      this.#endPause = () => finish(false);
    });
  }
}
