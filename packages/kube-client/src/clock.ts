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
    let timer: NodeJS.Timeout;
    const begin = (left: number): void => {
      const part = Math.min(left, LONGEST_TIMER);
      timer = setTimeout(() => (left > part ? begin(left - part) : run()), part);
    };
    begin(Math.max(0, Math.ceil(ms)));
    return () => clearTimeout(timer);
  },
};

/** setTimeout calls back at once for a longer time. */
const LONGEST_TIMER = 2 ** 31 - 1;
