import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type Clock, systemClock } from '../../kube-client/src/clock.js';

/** Differences below this come from the resolution of the uptime. */
const LEAST_SUSPENSION = 1_000;

/**
 * The system's clock, whose monotonic time also counts while the machine is suspended. Node's stands still then, but Linux's uptime does not.
 * Timers are late by the suspension: whoever must notice it looks at the clock every now and then.
 */
export function suspendAwareClock(uptimeMs: () => number = linuxUptime, awakeMs: () => number = () => performance.now()): Clock {
  const start = uptimeMs() - awakeMs();
  return {
    ...systemClock,
    monotonic: () => {
      const awake = awakeMs();
      const suspended = uptimeMs() - awake - start;
      return suspended > LEAST_SUSPENSION ? awake + suspended : awake;
    },
  };
}

/** Elsewhere the uptime may follow changes of the wall clock, and is not used. */
function linuxUptime(): number {
  return process.platform === 'linux' ? uptime() * 1000 : performance.now();
}

/** All who compare times use the same one: what another began to count before a suspension, it would count differently. */
export const SUSPEND_AWARE_CLOCK = suspendAwareClock();

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
