/** `waiting`: not decided yet; `executing`: has its seats; `rejected`: never had any; `done`: has returned its seats or left the queue. */
export type TicketState = 'waiting' | 'executing' | 'rejected' | 'done';

/** The issuer of a ticket, to which the ticket returns. */
export interface TicketOwner {
  /** The seats of an executing ticket are free again. */
  release(ticket: Ticket): void;
  /** The client of a waiting or rejected ticket has gone. */
  withdraw(ticket: Ticket): void;
}

/**
 * A request's passage through the limits. Its seats stand for work, so they are held until the complete response has been handed to the
 * connection (or is no longer wanted) and all work on the request has ended, whichever is later. A client that resets its stream does not
 * end the work it has caused, and a client that does not read its response holds no seat: limits of streams, bytes and time bound what
 * waits to be sent. The seats of a watch are released once it is initialised, which is when its handler ends.
 */
export class Ticket {
  state: TicketState = 'executing';
  /** Called once for a ticket that has waited: with undefined if it may proceed, else with the number of seconds after which to retry. */
  decided: ((retryAfter: number | undefined) => void) | undefined;
  #closed = false;
  /** Pieces of work in progress: a handler, the compression of its response. */
  #work = 0;

  constructor(
    readonly owner: TicketOwner,
    readonly seats: number,
    readonly isWatch: boolean,
  ) {}

  /** A piece of work on the request begins; each call is paired with one of `handled`. */
  handle(): void {
    this.#work++;
  }

  /** A piece of work has ended. */
  handled(): void {
    this.#work--;
    if (this.#work === 0 && (this.isWatch || this.#closed)) this.#release();
  }

  /** The work on the request only waits from here on, for what others do, and needs no seat any more. */
  wait(): void {
    this.#release();
  }

  /** The complete response has been handed to the connection, or is no longer wanted. May be called repeatedly. */
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
