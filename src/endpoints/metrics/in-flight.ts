const WINDOW_MS = 1000;

/** The highest number of concurrent requests during the last full second (apiserver server/filters/maxinflight.go). */
export class InFlight {
  #now = 0;
  #window = 0;
  #max = 0;
  #maxBefore = 0;

  /** `now` is in milliseconds of a monotonic clock. */
  enter(now: number): void {
    this.#turn(now);
    this.#now += 1;
    if (this.#now > this.#max) this.#max = this.#now;
  }

  leave(now: number): void {
    this.#turn(now);
    this.#now -= 1;
  }

  most(now: number): number {
    this.#turn(now);
    return Math.max(this.#maxBefore, this.#now);
  }

  #turn(now: number): void {
    const window = Math.floor(now / WINDOW_MS);
    if (window === this.#window) return;
    this.#maxBefore = window === this.#window + 1 ? this.#max : this.#now;
    this.#max = this.#now;
    this.#window = window;
  }
}
