import { performance } from 'node:perf_hooks';

/** Where time comes from. Only `monotonic` decides anything; `wallTime` is written into objects for people to read. */
export interface Clock {
  /** Milliseconds since any moment; never goes back, and goes on while the process is stopped. */
  monotonic(): number;
  wallTime(): Date;
  /** Runs the callback once, not before the time has passed; the answer cancels it. */
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
