import type { Scheduler } from '../../time/scheduler.js';

/** Intervals between polls in milliseconds. */
export interface PollIntervals {
  /** After a change. */
  readonly shortestMs: number;
  /** After a long time without changes. */
  readonly longestMs: number;
}

/** With LISTEN, polls only make up for lost notifications; without it, they are the only signal. */
export const POLL_BESIDE_LISTEN: PollIntervals = { shortestMs: 1_000, longestMs: 10_000 };
export const POLL_ALONE: PollIntervals = { shortestMs: 20, longestMs: 500 };

/**
 * Tells followers that there may be changes to read: on each notification, and on a timer. The intervals of the timer grow while nothing
 * changes. No timer runs without subscribers.
 */
export class WakeSignal {
  readonly #scheduler: Scheduler;
  readonly #intervals: () => PollIntervals;
  readonly #followers = new Set<() => void>();
  #waitMs = 0;
  #cancel: (() => void) | undefined;

  /** `intervals` is called each time, since it depends on the health of the listener. */
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

  /** Wakes all followers now. */
  fire(): void {
    for (const wake of this.#followers) wake();
  }

  /** Returns to short intervals, since further changes are likely. */
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
