import { performance } from 'node:perf_hooks';

/** The source of time. Only `monotonic` affects decisions; `wallTime` is written into objects for people to read. */
export interface Clock {
  /** Milliseconds since an arbitrary moment; never goes back, and advances while the process is stopped. */
  monotonic(): number;
  wallTime(): Date;
  /** Runs the callback once, not before the time has passed; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wallTime: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, Math.ceil(ms));
    return () => clearTimeout(timer);
  },
};
