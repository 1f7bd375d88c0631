import type { Clock } from '../../../../kube-client/src/clock.js';
import type { Lease } from '../../../../kube-client/src/kubernetes-objects.js';
import { type ServerAccess, isTooOld, versionOf } from '../lease-requests.js';
import { type LeaseNames, labelSelector } from '../slot-leases.js';
import type { Newest } from './queue-register.js';
import { type KnownVersions, type Ticket, SECONDS_OF_FIRST, TICKET_SECONDS, isAhead, isRemoved, orderOf, ticketAhead } from './ticket.js';

/** A ticket that was last renewed so long ago, by its own times, is dead without further observation. */
const LONG_DEAD = 90_000;

export interface ObserverOptions {
  readonly versions: KnownVersions;
  readonly clock: Clock;
  /** How long the observer's own ticket lasts. */
  readonly ticketSeconds: number;
}

/** The ticket ahead, as the next one in the queue sees it. */
export class ObservedTicket {
  readonly #versions: KnownVersions;
  readonly #clock: Clock;
  readonly #longest: number;
  #ticket: Lease;
  #since: number;
  #aheadGoneAt: number | undefined;

  /** A ticket that says it lasts longer than this contender's own, and longer than usual, is believed no more than that. */
  constructor(ticket: Lease, { versions, clock, ticketSeconds }: ObserverOptions) {
    this.#versions = versions;
    this.#clock = clock;
    this.#longest = Math.max(TICKET_SECONDS, ticketSeconds);
    this.#ticket = ticket;
    this.#since = versions.saw(ticket);
  }

  get ticket(): Lease {
    return this.#ticket;
  }

  saw(ticket: Lease): void {
    const since = this.#versions.sawAgain(this.#ticket, ticket);
    if (ticketAhead(ticket) !== ticketAhead(this.#ticket)) this.#aheadGoneAt = undefined;
    // An unchanged ticket keeps its age.
    if (versionOf(ticket) !== versionOf(this.#ticket)) this.#since = since;
    this.#ticket = ticket;
  }

  /** The ticket that it names as ahead is gone: from now on it has the time of the first, of which its owner may not know yet, to name another. */
  aheadIsGone(): void {
    this.#aheadGoneAt ??= this.#clock.monotonic();
  }

  /** Milliseconds until it has expired unless it changes. */
  get expiresIn(): number {
    const { leaseDurationSeconds = 0 } = this.#ticket.spec ?? {};
    const since = Math.max(this.#since, this.#versions.reliableFrom);
    const expires = since + Math.min(leaseDurationSeconds, this.#longest) * 1000;
    const answers = Math.max(since, this.#aheadGoneAt ?? Infinity) + SECONDS_OF_FIRST * 1000;
    return Math.min(expires, answers) - this.#clock.monotonic();
  }
}

export function isLongDead({ spec }: Lease, now: Date): boolean {
  const renewed = Date.parse(spec?.renewTime ?? '');
  return !(renewed + LONG_DEAD > now.getTime());
}

/** Whether somebody seems to renew it: a time far ahead of now is nobody's. */
export function isRecent(ticket: Lease, now: Date): boolean {
  return !isLongDead(ticket, now) && Date.parse(ticket.spec?.renewTime ?? '') - LONG_DEAD < now.getTime();
}

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
