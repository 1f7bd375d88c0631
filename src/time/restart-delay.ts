const FIRST_MS = 100;
const MAX_MS = 10_000;
/** A process that ran this long was healthy; the delay starts over. */
const STEADY_MS = 60_000;

/** The delay before a process is started again. It doubles for each one that does not run long. */
export class RestartDelay {
  #nextMs = FIRST_MS;

  /** The delay after a process that ran this long. */
  after(servedMs: number): number {
    if (servedMs >= STEADY_MS) this.#nextMs = FIRST_MS;
    const delay = this.#nextMs;
    this.#nextMs = Math.min(delay * 2, MAX_MS);
    return delay;
  }
}
