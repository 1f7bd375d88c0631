/** Lets through so many a second, and after a pause so many at once. */
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

  /** 0: go on, one is taken. Otherwise nothing is taken, and milliseconds are answered after which to ask again. */
  take(): number {
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#qps);
    this.#filledAt = now;
    if (this.#tokens < 1) return Math.max(1, Math.ceil(((1 - this.#tokens) / this.#qps) * 1000));
    this.#tokens -= 1;
    return 0;
  }
}
