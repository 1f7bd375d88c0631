import type { Clock } from '../../kube-client/src/clock.js';
import { pause } from '../../kube-client/src/pause.js';
import { isUnreachable } from './lock-error.js';

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

export interface RetryOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Repeats a request until it is answered or the signal aborts; other errors than `unreachable` reject. */
export async function untilAnswered<T>(
  { clock, onError }: RetryOptions,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
    try {
      return await request(signal);
    } catch (error) {
      if (signal.aborted || !isUnreachable(error)) throw error;
      onError(error);
    }
    await pause(clock, wait * (1 + Math.random()), signal);
    signal.throwIfAborted();
  }
}
