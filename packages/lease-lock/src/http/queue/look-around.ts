import type { Lease } from '../../../../kube-client/src/kubernetes-objects.js';
import { type LeaseNames, labelSelector } from '../lease-names.js';
import { isTooOld } from '../lease-requests.js';
import type { ServerAccess } from '../server-access.js';
import type { Newest } from './queue-register.js';
import type { Ticket } from './ticket.js';
import { isAhead, isRemoved, orderOf } from './ticket-fields.js';

/** Up to this age of the register the changes since are read; beyond it, the whole queue. */
const SHORT_MEMORY = 10_000;

/** Finds the ticket directly ahead of a ticket; undefined if there is none. */
export class LookAround {
  readonly #access: ServerAccess;
  readonly #names: LeaseNames;

  constructor(access: ServerAccess, names: LeaseNames) {
    this.#access = access;
    this.#names = names;
  }

  /**
   * For a ticket that was just created, whose owner had read the register before. The watch shows the tickets that have come between the two,
   * and at last the own one; without any of them the noted ticket is the one ahead.
   */
  async onArrival(ticket: Ticket, newest: Newest | undefined, signal: AbortSignal): Promise<Lease | undefined> {
    if (!newest || !(Math.abs(newest.age) <= SHORT_MEMORY) || newest.order >= ticket.order) return this.inQueue(ticket, signal);
    const noted = newest.ticket === '' ? undefined : await this.named(newest.ticket, ticket, signal);
    if (newest.ticket !== '' && !noted) return this.inQueue(ticket, signal);
    const arrived = await this.#arrivedBetween(newest.order, ticket, signal);
    return arrived ? (arrived.at(-1) ?? noted) : this.inQueue(ticket, signal);
  }

  /** The ticket of this name that comes before another one; undefined if there is none. Whoever names something else is not believed. */
  async named(name: string, own: Ticket, signal: AbortSignal): Promise<Lease | undefined> {
    if (!name.startsWith(this.#names.ticketPrefix)) return undefined;
    const found = await this.#access.requests.get(name, signal);
    return found && !isRemoved(found) && isAhead(found, own) ? found : undefined;
  }

  /** Reads the whole queue: for the first arrival in a while, and where two tickets next to each other went at the same time. */
  async inQueue(own: Ticket, signal: AbortSignal): Promise<Lease | undefined> {
    const tickets = await this.#access.requests.list(labelSelector(this.#names.queueLabel), signal);
    return tickets
      .filter((other) => this.#isTicket(other) && isAhead(other, own))
      .reduce<Lease | undefined>((last, other) => (last && orderOf(last) > orderOf(other) ? last : other), undefined);
  }

  /** Tickets between two places that still exist, in order; undefined if the server does not remember all changes. */
  async #arrivedBetween(order: bigint, own: Ticket, signal: AbortSignal): Promise<Lease[] | undefined> {
    const arrived = new Map<string, Lease>();
    const selector = { label: labelSelector(this.#names.queueLabel) };
    try {
      for await (const { type, lease } of this.#access.requests.watch(selector, order.toString(), signal)) {
        const { name = '' } = lease.metadata;
        if (name === own.name) return [...arrived.values()];
        if (type === 'DELETED' || isRemoved(lease)) arrived.delete(name);
        else if (this.#isTicket(lease) && (type === 'ADDED' || arrived.has(name))) arrived.set(name, lease);
      }
    } catch (error) {
      if (!isTooOld(error)) throw error;
    }
    return undefined;
  }

  #isTicket(lease: Lease): boolean {
    return (lease.metadata.name?.startsWith(this.#names.ticketPrefix) ?? false) && !isRemoved(lease);
  }
}
