import type { Scheduler } from '../../../time/scheduler.js';
import type { PendingWrite } from './pending-write.js';
import type { WaitingWrites } from './waiting-writes.js';

/** Over how many delays the rate of arrivals is judged. */
const DELAYS = 8;
/** A batch of so many costs little more for each write than a larger one. */
const ENOUGH = 8;

/**
 * Puts off a batch whose writes may all wait, such as renewals, while company is likely (PostgreSQL's commit_delay and commit_siblings): where
 * writes of other objects arrived lately at a rate at which more will come within the delay. It ends as soon as as many are there as were to
 * be expected, and at once for a write that may not wait as long. A client that is alone never waits.
 */
export class CommitDelay {
  readonly #longestMs: number;
  readonly #scheduler: Scheduler;
  /** The last arrivals, in a ring. */
  readonly #recent: { lock: string; at: number }[] = [];
  #arrivals = 0;
  /** Ends the delay under way. */
  #end: (() => void) | undefined;
  #wanted = 0;
  #until = 0;

  constructor(longestMs: number, scheduler: Scheduler) {
    this.#longestMs = longestMs;
    this.#scheduler = scheduler;
  }

  /** A write has been added to the queue. */
  arrived({ lock }: PendingWrite, queue: WaitingWrites): void {
    if (this.#longestMs === 0) return;
    const at = this.#scheduler.now();
    this.#recent[this.#arrivals++ % (DELAYS * ENOUGH)] = { lock, at };
    if (this.#end && (queue.length >= this.#wanted || queue.dueAfter(this.#longestMs) < this.#until)) this.#end();
  }

  /** Resolves when a batch is to be sent; undefined: at once. */
  before(queue: WaitingWrites): Promise<void> | undefined {
    if (this.#longestMs === 0 || queue.length >= ENOUGH) return undefined;
    const now = this.#scheduler.now();
    this.#until = queue.dueAfter(this.#longestMs);
    if (this.#until <= now) return undefined;
    this.#wanted = this.#expected(queue, now);
    if (queue.length >= this.#wanted) return undefined;
    return new Promise((resolve) => {
      const cancel = this.#scheduler.after(this.#until - now, () => this.end());
      this.#end = () => {
        cancel();
        this.#end = undefined;
        resolve();
      };
    });
  }

  end(): void {
    this.#end?.();
  }

  /** How many writes a batch is likely to have after the longest delay, the ones that wait included. */
  #expected(queue: WaitingWrites, now: number): number {
    const since = now - DELAYS * this.#longestMs;
    const objects = new Set<string>();
    let others = 0;
    for (const { lock, at } of this.#recent) {
      if (at < since || queue.includes(lock)) continue;
      others += 1;
      objects.add(lock);
    }
    return Math.min(ENOUGH, queue.length + Math.min(objects.size, Math.floor(others / DELAYS)));
  }
}
