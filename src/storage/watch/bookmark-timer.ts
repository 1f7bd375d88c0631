import type { Scheduler } from '../../time/scheduler.js';

const PERIOD_MS = 60_000;

/** Calls back about once a minute, with jitter, so that the bookmarks of many watchers are spread out. */
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
