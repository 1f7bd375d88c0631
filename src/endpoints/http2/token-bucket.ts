/** Token bucket: at most `capacity` tokens at once, `perSecond` in the long run. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor(capacity: number, perSecond: number) {
    this.#capacity = capacity;
    this.#perMs = perSecond / 1000;
    this.#tokens = capacity;
  }

  /** Returns false if there are not enough tokens. */
  take(tokens: number): boolean {
    if (this.#tokens < tokens) this.#fill();
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  /** Adds tokens. */
  add(tokens: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + tokens);
  }

  #fill(): void {
    const now = performance.now();
    this.add((now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
}
