import type { Clock } from '../../kube-client/src/clock.js';

/** How long a write goes on after its caller has given up. */
const PATIENCE = 2_000;

/**
 * Runs a write that an abort does not interrupt, unless it takes long: only an answer tells whether it has taken a lease, which would
 * otherwise be held until it expires. Callers have to look at their signal afterwards.
 */
export async function undisturbed<T>(clock: Clock, signal: AbortSignal, write: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  let cancelTimer = (): void => undefined;
  const aborted = (): void => {
    cancelTimer = clock.after(PATIENCE, () => late.abort(signal.reason));
  };
  signal.addEventListener('abort', aborted, { once: true });
  try {
    return await write(late.signal);
  } finally {
    signal.removeEventListener('abort', aborted);
    cancelTimer();
  }
}
