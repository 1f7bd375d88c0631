/** Maximum Retry-After, in seconds. */
const MAX_RETRY_AFTER = 32;

/**
 * Retry-After of rejected requests. It is doubled while at least three requests a second are rejected, and reduced by one when fewer than
 * one a second is rejected, both measured over the last Retry-After seconds (apiserver util/flowcontrol/dropped_requests_tracker.go).
 */
export class DroppedRequests {
  #retryAfter = 1;
  /** The second in which Retry-After was last doubled. */
  #raisedAt = 0;
  #current = { second: 0, count: 0 };
  #history: { second: number; count: number }[] = [];

  /** Records a rejection and returns its Retry-After. */
  record(nowMs: number): number {
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
