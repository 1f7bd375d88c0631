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
 * A request's way through the limits. Its seats stand for work, so they are taken until the complete answer has been handed to the
 * connection (or nobody waits for one any more) and all work on the request has ended, whichever is later. A client that resets its
 * stream does not end the work that it has caused, and one that does not read its answer holds no seat with it: what waits to be sent
 * is bounded elsewhere, by streams, bytes and time. The seats of a watch are free once it is initialised, which is when its handler
 * ends.
 */
export class Ticket {
  state: TicketState = 'executing';
  /** Called once for a ticket that has waited: with undefined when it may go on, with the seconds after which to come again if not. */
  decided: ((retryAfter: number | undefined) => void) | undefined;
  #closed = false;
  /** Pieces of work under way: a handler, the compression of its answer. */
  #work = 0;

  constructor(
    readonly owner: TicketOwner,
    readonly seats: number,
    readonly isWatch: boolean,
  ) {}

  /** Work on the request begins; each call is paired with one of `handled`. */
  handle(): void {
    this.#work++;
  }

  /** A piece of work has ended. */
  handled(): void {
    this.#work--;
    if (this.#work === 0 && (this.isWatch || this.#closed)) this.#release();
  }

  /** The complete answer is with the connection, or nobody waits for it any more. May be called again. */
  close(): void {
    this.#closed = true;
    if (this.state === 'executing' && this.#work === 0) this.#release();
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
