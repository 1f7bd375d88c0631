const WINDOW_MS = 1000;

/** The highest number of concurrent requests during the last full second (apiserver server/filters/maxinflight.go). */
export class InFlight {
  #now = 0;
  #window = 0;
  #most = 0;
  #mostBefore = 0;

  /** `now` is in milliseconds of a monotonic clock. */
  enter(now: number): void {
    this.#turn(now);
    this.#now += 1;
    if (this.#now > this.#most) this.#most = this.#now;
  }

  leave(now: number): void {
    this.#turn(now);
    this.#now -= 1;
  }

  most(now: number): number {
    this.#turn(now);
    return Math.max(this.#mostBefore, this.#now);
  }

  #turn(now: number): void {
    const window = Math.floor(now / WINDOW_MS);
    if (window === this.#window) return;
    this.#mostBefore = window === this.#window + 1 ? this.#most : this.#now;
    this.#most = this.#now;
    this.#window = window;
  }
}
