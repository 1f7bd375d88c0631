import type { Scheduler } from '../scheduler.js';

/** Milliseconds between two polls. */
export interface PollIntervals {
  /** After a change was found. */
  readonly shortestMs: number;
  /** After a long time without. */
  readonly longestMs: number;
}

/** Beside LISTEN the poll only makes up for what it may lose; without, it is all there is. */
export const POLL_BESIDE_LISTEN: PollIntervals = { shortestMs: 1_000, longestMs: 10_000 };
export const POLL_ALONE: PollIntervals = { shortestMs: 20, longestMs: 500 };

/**
 * Tells followers that there may be changes to read: when a notification came, and from time to time anyway. The times between grow while
 * nothing changes. No timer runs without subscribers.
 */
export class WakeSignal {
  readonly #scheduler: Scheduler;
  readonly #intervals: () => PollIntervals;
  readonly #followers = new Set<() => void>();
  #waitMs = 0;
  #cancel: (() => void) | undefined;

  /** `intervals` may change with the health of the listener. */
  constructor(scheduler: Scheduler, intervals: () => PollIntervals) {
    this.#scheduler = scheduler;
    this.#intervals = intervals;
  }

  subscribe(wake: () => void): () => void {
    this.#followers.add(wake);
    if (!this.#cancel) this.#pollLater();
    return () => {
      this.#followers.delete(wake);
      if (this.#followers.size === 0) this.stop();
    };
  }

  /** There may be changes now. */
  fire(): void {
    for (const wake of this.#followers) wake();
  }

  /** Something changed, so more is likely to follow: polls often again. */
  noteChange(): void {
    const before = this.#waitMs;
    this.#waitMs = 0;
    if (this.#cancel && before > this.#intervals().shortestMs) this.#pollLater();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #pollLater(): void {
    this.#cancel?.();
    const { shortestMs, longestMs } = this.#intervals();
    this.#waitMs = Math.min(Math.max(this.#waitMs * 1.5, shortestMs), longestMs);
    this.#cancel = this.#scheduler.after(this.#waitMs, () => {
      this.#pollLater();
      this.fire();
    });
  }
}
