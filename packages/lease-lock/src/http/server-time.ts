import type { Clock } from '../../../kube-client/src/clock.js';

/** The Date header has whole seconds, and an answer takes its time. */
const TOLERANCE = 2_000;

/**
 * The wall time that is written into leases. It is this machine's, corrected by the server's if the two differ by seconds: the times are
 * only hints, but hints that everybody shares.
 */
export class ServerTime {
  readonly #clock: Clock;
  #correction = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    return new Date(this.#clock.wallTime().getTime() + this.#correction);
  }

  /** Notes the Date header of an answer that has just arrived. */
  saw(date: string | undefined): void {
    const time = Date.parse(date ?? '');
    if (Number.isNaN(time)) return;
    const ahead = time + 500 - this.#clock.wallTime().getTime();
    this.#correction = Math.abs(ahead) > TOLERANCE ? ahead : 0;
  }
}
