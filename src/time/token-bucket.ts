/** Token bucket: `burst` tokens at once, `qps` a second in the long run. */
export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** `now`: steady milliseconds. */
  constructor({ qps, burst }: { readonly qps: number; readonly burst: number }, now = () => performance.now()) {
    this.#qps = qps;
    this.#burst = this.#tokens = burst;
    this.#now = now;
    this.#filledAt = now();
  }

  /** Takes tokens, or returns false if there are not enough. */
  take(tokens = 1): boolean {
    if (this.#tokens < tokens) this.#fill();
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  add(tokens: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + tokens);
  }

  /** Milliseconds until there is a token again, after a `take` that found none. */
  get refillMs(): number {
    return Math.max(1, Math.ceil(((1 - this.#tokens) / this.#qps) * 1000));
  }

  #fill(): void {
    const now = this.#now();
    this.add(((now - this.#filledAt) / 1000) * this.#qps);
    this.#filledAt = now;
  }
}
