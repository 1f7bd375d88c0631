import { longTimer } from './long-timer.js';

/** A clock and timers for the storage; tests pass one that they advance explicitly. */
export interface Scheduler {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Runs the callback once after this many milliseconds, without keeping the process alive. The returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Injection token of the server's Scheduler. */
export const SCHEDULER = Symbol('Scheduler');

/** Real time. */
export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  after: longTimer,
};

/** Resolves after this many milliseconds. */
export function sleep(scheduler: Scheduler, ms: number): Promise<void> {
  return new Promise((resolve) => scheduler.after(ms, resolve));
}
