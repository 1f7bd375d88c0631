/** The number of seconds that are kept. */
const SECONDS = 60;

/** Counts renewals per second over the last minute. Times in milliseconds. */
export class RenewalMeter {
  readonly #counts = new Array<number>(SECONDS).fill(0);
  #second = 0;
  #began: number | undefined;

  /** From now on renewals are counted; earlier ones, of other leases, are not in the rate. */
  begin(now: number): void {
    this.#began = Math.floor(now / 1000);
  }

  count(now: number, renewals: number): void {
    this.#moveTo(now);
    this.#counts[this.#second % SECONDS]! += renewals;
  }

  /** Counts per second, the oldest first, without the current one. */
  perSecond(now: number): readonly number[] {
    this.#moveTo(now);
    return Array.from({ length: SECONDS - 1 }, (_, at) => this.#counts[(this.#second + 1 + at) % SECONDS] ?? 0);
  }

  /** The mean of the last ten seconds, or of those since counting began; undefined until the first of them is over. */
  rate(now: number): number | undefined {
    const since = this.#began === undefined ? 0 : Math.floor(now / 1000) - this.#began;
    if (since <= 0) return undefined;
    const seconds = Math.min(10, since);
    const last = this.perSecond(now).slice(-seconds);
    return last.reduce((sum, count) => sum + count, 0) / seconds;
  }

  #moveTo(now: number): void {
    const second = Math.floor(now / 1000);
    if (second <= this.#second) return;
    for (let at = Math.max(this.#second + 1, second - SECONDS + 1); at <= second; at++) this.#counts[at % SECONDS] = 0;
    this.#second = second;
  }
}
