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

/** setTimeout calls back at once for a longer time. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back once after this time, however long it is, without keeping the process alive. The returned function cancels it. */
export function longTimer(ms: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const begin = (left: number): void => {
    const part = Math.min(left, LONGEST_TIMER_MS);
    timer = setTimeout(() => (left > part ? begin(left - part) : run()), part).unref();
  };
  begin(ms);
  return () => clearTimeout(timer);
}
