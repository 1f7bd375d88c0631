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
