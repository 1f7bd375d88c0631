/** So many log lines a second, and how many were left out since the last one that was not. */
export class LineBudget {
  readonly #perSecond: number;
  #second = 0;
  #used = 0;
  #suppressed = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** The number left out before this line; undefined: leave this one out too. `now` in milliseconds. */
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
