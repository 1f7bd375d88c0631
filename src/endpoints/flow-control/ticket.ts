/**
 * `waiting`: until it is decided; `executing`: it has its seats; `rejected`: it never had any; `done`: it has given them back, or left
 * the queue.
 */
export type TicketState = 'waiting' | 'executing' | 'rejected' | 'done';

/** Whoever gave a ticket out, and gets it back. */
export interface TicketOwner {
  /** An executing ticket's seats are free again. */
  release(ticket: Ticket): void;
  /** The client of a waiting or rejected ticket is gone. */
  withdraw(ticket: Ticket): void;
}

/**
 * A request's way through the limits. Its seats are taken until its answer is sent or cut off and its handler has ended, whichever is
 * later: a client that resets its stream does not end the work that it has caused. Those of a watch are free as soon as it is
 * initialised, which is when its handler ends.
 */
export class Ticket {
  state: TicketState = 'executing';
  /** Called once for a ticket that has waited: with undefined when it may go on, with the seconds after which to come again if not. */
  decided: ((retryAfter: number | undefined) => void) | undefined;
  #closed = false;
  #handling = false;

  constructor(
    readonly owner: TicketOwner,
    readonly seats: number,
    readonly isWatch: boolean,
  ) {}

  /** A handler takes over. */
  handle(): void {
    this.#handling = true;
  }

  /** The handler has done its part. */
  handled(): void {
    this.#handling = false;
    if (this.isWatch || this.#closed) this.#release();
  }

  /** The answer is sent, or nobody waits for it any more. */
  close(): void {
    this.#closed = true;
    if (this.state === 'executing' && !this.#handling) this.#release();
    else if (this.state === 'waiting' || this.state === 'rejected') {
      this.state = 'done';
      this.owner.withdraw(this);
    }
  }

  #release(): void {
    if (this.state !== 'executing') return;
    this.state = 'done';
    this.owner.release(this);
  }
}
