import { setTimeout as sleep } from 'node:timers/promises';

/** Work that is done again and again, with a pause after each time, until it is stopped. */
export class Repeated {
  readonly #once: () => Promise<unknown>;
  readonly #pauseMs: () => number;
  #stopped = false;
  #done: Promise<void> = Promise.resolve();

  constructor(once: () => Promise<unknown>, pauseMs: number | (() => number)) {
    this.#once = once;
    this.#pauseMs = typeof pauseMs === 'number' ? () => pauseMs : pauseMs;
  }

  start(): void {
    this.#done = this.#work();
  }

  /** Resolves when the last time is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      await this.#once();
      await sleep(this.#pauseMs());
    }
  }
}
