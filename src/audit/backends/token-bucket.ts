/** Token bucket: `qps` sustained, `burst` at once. */
export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  constructor({ qps, burst }: { readonly qps: number; readonly burst: number }, now: () => number) {
    this.#qps = qps;
    this.#burst = burst;
    this.#now = now;
    this.#tokens = burst;
    this.#filledAt = now();
  }

  /** Takes a token and returns 0, or takes none and returns the milliseconds after which to try again. */
  take(): number {
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#qps);
    this.#filledAt = now;
    if (this.#tokens < 1) return Math.max(1, Math.ceil(((1 - this.#tokens) / this.#qps) * 1000));
    this.#tokens -= 1;
    return 0;
  }
}
