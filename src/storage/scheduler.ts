/** Time for the parts of storage that wait; tests hand in one that they move by hand. */
export interface Scheduler {
  /** Milliseconds that never go back. */
  now(): number;
  /** Runs the callback once after so many milliseconds, without keeping the process alive. The returned function calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** Real time. */
export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
