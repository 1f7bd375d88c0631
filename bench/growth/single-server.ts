import type { EventQueue } from './event-queue.js';

/** Something that does one thing at a time, in the order in which it was asked: a thread, or a row's lock. */
export class SingleServer {
  readonly #events: EventQueue;
  #freeAt = 0;
  #busy = 0;

  constructor(events: EventQueue) {
    this.#events = events;
  }

  /** How long it has worked, or will have when all that it was asked is done. */
  get busy(): number {
    return this.#busy;
  }

  run(ms: number, done?: () => void): void {
    this.#freeAt = Math.max(this.#events.now, this.#freeAt) + ms;
    this.#busy += ms;
    if (done !== undefined) this.#events.at(this.#freeAt, done);
  }
}
