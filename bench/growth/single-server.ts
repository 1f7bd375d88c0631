import type { EventQueue } from './event-queue.js';

/** A server in the sense of queueing theory, which does one thing at a time in order of arrival: a thread, or a row's lock. */
export class SingleServer {
  readonly #events: EventQueue;
  #freeAt = 0;
  #busy = 0;

  constructor(events: EventQueue) {
    this.#events = events;
  }

  /** Its total busy time, including all queued work. */
  get busy(): number {
    return this.#busy;
  }

  run(ms: number, done?: () => void): void {
    this.#freeAt = Math.max(this.#events.now, this.#freeAt) + ms;
    this.#busy += ms;
    if (done !== undefined) this.#events.at(this.#freeAt, done);
  }
}
