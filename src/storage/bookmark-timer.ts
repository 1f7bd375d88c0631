import type { Scheduler } from './scheduler.js';

const PERIOD_MS = 60_000;

/** Calls back about once a minute, each time a little earlier or later, so that bookmarks of many watchers do not come at once. */
export class BookmarkTimer {
  readonly #scheduler: Scheduler;
  readonly #due: () => void;
  #cancel: () => void;

  constructor(scheduler: Scheduler, due: () => void) {
    this.#scheduler = scheduler;
    this.#due = due;
    this.#cancel = this.#next();
  }

  stop(): void {
    this.#cancel();
  }

  #next(): () => void {
    const period = PERIOD_MS * (0.875 + Math.random() / 4);
    return this.#scheduler.after(period, () => {
      this.#cancel = this.#next();
      this.#due();
    });
  }
}
