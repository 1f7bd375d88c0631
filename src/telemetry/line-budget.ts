/** Limits log lines per second, and counts those left out since the last one written. */
export class LineBudget {
  readonly #perSecond: number;
  #second = 0;
  #used = 0;
  #suppressed = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Returns how many lines were left out before this one; undefined: leave this one out too. `now` in milliseconds. */
  take(now: number): number | undefined {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) [this.#second, this.#used] = [second, 0];
    if (this.#used >= this.#perSecond) {
      this.#suppressed += 1;
      return undefined;
    }
    this.#used += 1;
    const suppressed = this.#suppressed;
    this.#suppressed = 0;
    return suppressed;
  }
}
