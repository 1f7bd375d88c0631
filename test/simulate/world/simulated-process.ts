/** Anything that can crash, pause, or have a wrong clock: a server, a PostgreSQL, a client. */
export class SimulatedProcess {
  readonly name: string;
  /** Difference of its wall clock from the true time, in milliseconds. */
  readonly skewMs: number;
  /** How fast its steady clock runs. Holders leave a margin of 1/15 (docs/guarantees.md). */
  readonly rate: number;
  #pausedUntil = 0;
  readonly #onKill = new Set<() => void>();
  #alive = true;

  constructor(name: string, { skewMs = 0, rate = 1 } = {}) {
    this.name = name;
    this.skewMs = skewMs;
    this.rate = rate;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** None of its events run before this moment. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** A pause never ends an earlier one sooner: its events already wait for that one's end. */
  pause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** Registers how others learn of its end. The returned function cancels this. */
  onKill(learn: () => void): () => void {
    this.#onKill.add(learn);
    return () => this.#onKill.delete(learn);
  }

  /** Nothing that it has started continues. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const learn of this.#onKill) learn();
  }
}
