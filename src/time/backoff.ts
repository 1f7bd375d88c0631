/** Delays between attempts: doubling from `firstMs` to `maxMs`, with jitter, so that replicas do not retry in step. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  #nextMs: number;

  constructor(firstMs: number, maxMs: number) {
    this.#firstMs = this.#nextMs = firstMs;
    this.#maxMs = maxMs;
  }

  /** Milliseconds to wait before the next attempt: at least half of the current delay. */
  next(): number {
    const wait = this.#nextMs;
    this.#nextMs = Math.min(wait * 2, this.#maxMs);
    return wait * (0.5 + Math.random() / 2);
  }

  /** Starts again with the shortest delay. */
  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}

const FIRST_MS = 100;
const MAX_MS = 10_000;
/** A process that ran this long was healthy; the delay starts over. */
const STEADY_MS = 60_000;

/** The delay before a process is started again. It doubles for each one that does not run long. */
export class RestartDelay {
  #nextMs = FIRST_MS;

  /** The delay after a process that ran this long. */
  after(servedMs: number): number {
    if (servedMs >= STEADY_MS) this.#nextMs = FIRST_MS;
    const delay = this.#nextMs;
    this.#nextMs = Math.min(delay * 2, MAX_MS);
    return delay;
  }
}

/**
 * Goes on with a value that is there now or later. Most values of a request are there, and a promise for each would cost a renewal several
 * turns of the microtask queue. What `next` throws is thrown here if the value is there, and else rejects the promise, as `onError` does.
 */
export function whenReady<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
  onError?: (error: unknown) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next, onError) : next(value);
}

/** The same for what `ask` answers; `onError` also gets what it throws. */
export function whenAnswered<T, R>(
  ask: () => T | Promise<T>,
  next: (answer: T) => R | Promise<R>,
  onError: (error: unknown) => R | Promise<R>,
): R | Promise<R> {
  let answer: T | Promise<T>;
  try {
    answer = ask();
  } catch (error) {
    return onError(error);
  }
  return whenReady(answer, next, onError);
}
