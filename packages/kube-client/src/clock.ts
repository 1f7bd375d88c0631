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

/** Resolves after the time, or as soon as the signal aborts: the caller checks the signal. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/**
 * Runs a request that must end within the time and before the outer signal aborts. Rejects at that moment even if the request
 * ignores its own signal.
 */
export function withTimeout<T>(clock: Clock, ms: number, outer: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const outerAborts = () => controller.abort(outer.reason);
  if (outer.aborted) return Promise.reject(asError(outer.reason));
  outer.addEventListener('abort', outerAborts, { once: true });
  const cancel = clock.after(ms, () => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')));

  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(asError(signal.reason)), { once: true });
    request(signal).then(resolve, reject);
  }).finally(() => {
    cancel();
    outer.removeEventListener('abort', outerAborts);
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError');
}
