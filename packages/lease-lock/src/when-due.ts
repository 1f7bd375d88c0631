import type { Clock } from '../../kube-client/src/clock.js';

/** Calls back once nothing is left of a time that may change meanwhile. */
export class WhenDue {
  readonly #clock: Clock;
  readonly #left: () => number;
  readonly #callBack: () => void;
  #cancelTimer: () => void = () => undefined;

  constructor(clock: Clock, left: () => number, callBack: () => void) {
    this.#clock = clock;
    this.#left = left;
    this.#callBack = callBack;
    this.check();
  }

  /** Needed when the time has become shorter; a longer one is noticed. */
  check(): void {
    this.#cancelTimer();
    const left = this.#left();
    if (left <= 0) this.#callBack();
    else this.#cancelTimer = this.#clock.after(left, () => this.check());
  }

  cancel(): void {
    this.#cancelTimer();
  }
}
