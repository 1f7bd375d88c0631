import type { Clock } from './clock.js';

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
