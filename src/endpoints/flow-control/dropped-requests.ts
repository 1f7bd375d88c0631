/** Longest that clients are told to stay away, in seconds. */
const MAX_RETRY_AFTER = 32;

/**
 * How long rejected clients are told to stay away: doubled while at least three times as many requests are rejected as seconds are
 * named, shortened by one when it is less than one a second (apiserver util/flowcontrol/dropped_requests_tracker.go).
 */
export class DroppedRequests {
  #total = 0;
  #retryAfter = 1;
  /** The second in which it was doubled last. */
  #raisedAt = 0;
  #current = { second: 0, count: 0 };
  #history: { second: number; count: number }[] = [];

  get total(): number {
    return this.#total;
  }

  /** Notes a rejection and answers the Retry-After to send with it. */
  record(nowMs: number): number {
    this.#total++;
    const second = Math.floor(nowMs / 1000);
    if (second === this.#current.second) this.#current.count++;
    else {
      this.#history = [...this.#history, this.#current].filter((past) => second - past.second <= MAX_RETRY_AFTER);
      this.#current = { second, count: 1 };
      this.#adjust(second);
    }
    return this.#retryAfter;
  }

  #adjust(second: number): void {
    let recent = 0;
    for (const past of this.#history) if (second - past.second <= this.#retryAfter) recent += past.count;
    if (second - this.#raisedAt >= this.#retryAfter && recent >= 3 * this.#retryAfter) {
      this.#retryAfter = Math.min(2 * this.#retryAfter, MAX_RETRY_AFTER);
      this.#raisedAt = second;
    } else if (recent < this.#retryAfter && this.#retryAfter > 1) this.#retryAfter--;
  }
}
