import { SYSTEM_MASTERS } from '../../auth/authentication/authenticator.js';
import type { LimitedRequest, RequestLimiter } from './request-limiter.js';
import { type TicketOwner, Ticket } from './ticket.js';

export interface MaxInFlightOptions {
  /** 0 means no limit. */
  readonly readOnly: number;
  readonly mutating: number;
}

const READ_ONLY_VERBS = new Set(['get', 'list', 'watch']);
const RETRY_AFTER_SECONDS = 1;

interface Counter extends TicketOwner {
  readonly limit: number;
  executing: number;
}

/**
 * `--enable-priority-and-fairness=false`: two plain limits (apiserver filters/maxinflight.go). Requests never wait; those of system:masters
 * are never rejected.
 */
export class MaxInFlight implements RequestLimiter {
  readonly #readOnly: Counter;
  readonly #mutating: Counter;

  constructor({ readOnly, mutating }: MaxInFlightOptions) {
    this.#readOnly = counter(readOnly);
    this.#mutating = counter(mutating);
  }

  close(): void {
    // No request waits.
  }

  admit(request: LimitedRequest): Ticket | undefined {
    const { verb } = request.info;
    if (verb === 'watch') return undefined;
    const counted = READ_ONLY_VERBS.has(verb) ? this.#readOnly : this.#mutating;
    if (counted.limit === 0) return undefined;
    if (counted.executing >= counted.limit) return request.user.groups.includes(SYSTEM_MASTERS) ? undefined : rejectedBy(counted);
    counted.executing++;
    return new Ticket(counted, 1, false);
  }
}

function counter(limit: number): Counter {
  return {
    limit,
    executing: 0,
    release() {
      this.executing--;
    },
    withdraw() {
      // The ticket was never counted.
    },
  };
}

function rejectedBy(counted: Counter): Ticket {
  const ticket = new Ticket(counted, 1, false);
  ticket.state = 'rejected';
  setImmediate(() => ticket.decided?.(RETRY_AFTER_SECONDS));
  return ticket;
}
