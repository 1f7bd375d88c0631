/** A timer later than this indicates more work than the process can do. */
const LATE_MS = 30;
const SLOWER = 0.6;
const FASTER = 0.05;
/** The minimum share: enough to keep the database busy. */
const LEAST = 0.2;

/**
 * The share of its seats that a server can use. Seats bound the number of requests that wait for the database; this class bounds what the
 * one thread has to compute. The share falls quickly while the event loop is late and recovers slowly. Requests then wait in their queues,
 * where they are served in turn, rather than in sockets, where the client with the most requests wins.
 */
export class LoopPressure {
  readonly #periodMs: number;
  #last: number | undefined;
  #share = 1;

  /** `tick` must be called once every `periodMs`, from `begin` on. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Between `LEAST` and 1. */
  get share(): number {
    return this.#share;
  }

  /** The first period begins. `now` is in milliseconds of a monotonic clock. */
  begin(now: number): void {
    this.#last = now;
  }

  tick(now: number): void {
    const lateMs = this.#last === undefined ? 0 : now - this.#last - this.#periodMs;
    this.#last = now;
    this.#share = lateMs > LATE_MS ? Math.max(LEAST, this.#share * SLOWER) : Math.min(1, this.#share + FASTER);
  }
}
