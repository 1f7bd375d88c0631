import type { Claim, Place, WaitingLine } from '../../backend.js';
import { type LeaseNames, asLockErrors, labelSelector, leaseNames } from '../slot-leases.js';
import type { ServerAccess } from '../lease-requests.js';
import { LookAround, isRecent } from './observed-ticket.js';
import { QueuePlace } from './queue-place.js';
import { QueueRegister } from './queue-register.js';
import { isRemoved } from './ticket.js';

/** The queue for one lock: one small Lease for each contender that waits. */
export class WaitingQueue implements WaitingLine {
  readonly #access: ServerAccess;
  readonly #names: LeaseNames;
  readonly #holder: string;
  readonly #register: QueueRegister;
  readonly #onError: (error: unknown) => void;

  constructor(access: ServerAccess, claim: Claim, onError: (error: unknown) => void) {
    this.#access = access;
    this.#names = leaseNames(claim.lock);
    this.#holder = claim.holder;
    this.#register = new QueueRegister(access, this.#names);
    this.#onError = onError;
  }

  isOccupied(signal: AbortSignal): Promise<boolean> {
    return asLockErrors(async () => {
      const newest = await this.#register.read(signal);
      if (!newest || newest.ticket === '') return false;
      const { requests, time } = this.#access;
      const isTicket = (name = ''): boolean => name.startsWith(this.#names.ticketPrefix);
      const ticket = isTicket(newest.ticket) ? await requests.get(newest.ticket, signal) : undefined;
      if (ticket && !isRemoved(ticket)) return isRecent(ticket, time.now());
      const tickets = await requests.list(labelSelector(this.#names.queueLabel), signal);
      return tickets.some((other) => isTicket(other.metadata.name) && !isRemoved(other) && isRecent(other, time.now()));
    });
  }

  join(): Place {
    return new QueuePlace({
      access: this.#access,
      names: this.#names,
      holder: this.#holder,
      onError: this.#onError,
      register: this.#register,
      lookAround: new LookAround(this.#access, this.#names),
    });
  }
}
