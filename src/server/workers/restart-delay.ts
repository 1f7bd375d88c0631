const FIRST_MS = 100;
const MOST_MS = 10_000;
/** Who has served for so long did not end because of how it was started. */
const STEADY_MS = 60_000;

/** How long to wait before a worker is replaced: doubling from one that does not last to the next. */
export class RestartDelay {
  #nextMs = FIRST_MS;

  /** After one that has served for so long. */
  after(servedMs: number): number {
    if (servedMs >= STEADY_MS) this.#nextMs = FIRST_MS;
    const delay = this.#nextMs;
    this.#nextMs = Math.min(delay * 2, MOST_MS);
    return delay;
  }
}
