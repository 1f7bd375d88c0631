import { setTimeout } from 'node:timers/promises';

/** Attempts, and the growth of the pauses between them (apiserver pkg/util/webhook WithExponentialBackoff). */
const ATTEMPTS = 5;
const FACTOR = 1.5;
const JITTER = 0.2;

export interface RetryOptions {
  readonly firstPauseMs: number;
  /** Whether there is no point in another attempt. */
  readonly isFinal: (error: unknown) => boolean;
  /** Waits between attempts. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Repeats a call of a webhook that fails. Rejects with its last error. */
export async function withRetries<T>(call: () => Promise<T>, { firstPauseMs, isFinal, wait = setTimeout }: RetryOptions): Promise<T> {
  let pause = firstPauseMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === ATTEMPTS || isFinal(error)) throw error;
    }
    await wait(pause * (1 + JITTER * Math.random()));
    pause *= FACTOR;
  }
}
