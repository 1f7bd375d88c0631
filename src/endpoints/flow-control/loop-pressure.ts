/** A timer that is later than this tells of more work than the process can do. */
const LATE_MS = 30;
const SLOWER = 0.6;
const FASTER = 0.05;
/** Enough to keep the database busy. */
const LEAST = 0.2;

/**
 * How much of its seats a server can use. Seats bound what waits for the database; what the one thread has to compute is bounded here:
 * the share falls quickly while the event loop is late, and comes back slowly, so that requests wait in their queues, where they are
 * served in turn, and not in sockets, where the loudest is.
 */
export class LoopPressure {
  readonly #periodMs: number;
  #last: number | undefined;
  #share = 1;

  /** `tick` is to be called so often. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** From `LEAST` to 1. */
  get share(): number {
    return this.#share;
  }

  /** `now` in milliseconds, of a clock that nobody sets. */
  tick(now: number): void {
    const lateMs = this.#last === undefined ? 0 : now - this.#last - this.#periodMs;
    this.#last = now;
    this.#share = lateMs > LATE_MS ? Math.max(LEAST, this.#share * SLOWER) : Math.min(1, this.#share + FASTER);
  }
}
