import { randomBytes } from 'node:crypto';
import type { Lease } from '../../../../kube-client/src/kubernetes-objects.js';
import { pause } from '../../../../kube-client/src/clock.js';
import type { Place } from '../../backend.js';
import { WhenDue } from '../../held-lock.js';
import { isTooOld } from '../lease-requests.js';
import { asLockErrors } from '../slot-leases.js';
import { type TicketOptions, KnownVersions, Ticket, isRemoved, orderOf, ticketAhead } from './ticket.js';
import { type LookAround, ObservedTicket, isLongDead } from './observed-ticket.js';
import type { Newest, QueueRegister } from './queue-register.js';

/** Before a watch that the server has ended is opened again. */
const REOPEN_AFTER = 100;
/** Between two reads of a ticket that cannot be watched from its version on. */
const LOOK_EVERY = 2_000;

export interface PlaceOptions extends Omit<TicketOptions, 'left' | 'versions'> {
  readonly register: QueueRegister;
  readonly lookAround: LookAround;
}

/**
 * A place in the queue: a ticket, and a watch on the ticket ahead. When that one is removed, its last state says whether it was the
 * first, or which one is ahead now. A second watch, on the ticket that the one ahead names, tells when the owner of the one ahead has to answer.
 * So each end of a wait concerns only two other contenders, however many there are. If the next one has died as
 * well, its time has run all along (KnownVersions).
 */
export class QueuePlace implements Place {
  readonly #options: PlaceOptions;
  readonly #left = new AbortController();
  readonly #versions: KnownVersions;
  #name: string;
  #ticket: Ticket | undefined;
  #newestBefore: Newest | undefined;
  #isPlaced = false;
  #ahead: ObservedTicket | undefined;

  constructor(options: PlaceOptions) {
    this.#options = options;
    this.#versions = new KnownVersions(options.access.clock);
    this.#name = this.#newName();
  }

  /** Can be called again after an error, and continues. */
  turn(signal: AbortSignal): Promise<void> {
    return asLockErrors(async () => {
      for (;;) {
        if (this.#ticket?.lost.aborted) this.#startAgain();
        const ticket = await this.#join(signal);
        const within = AbortSignal.any([signal, ticket.lost]);
        try {
          if (!this.#isPlaced) await this.#findPlace(ticket, within);
          while (this.#ahead) await this.#follow(ticket, this.#ahead, within);
          if (!ticket.lost.aborted) return;
        } catch (error) {
          this.#versions.distrust();
          if (signal.aborted || !ticket.lost.aborted) throw error;
        }
      }
    });
  }

  isFirst(signal: AbortSignal): Promise<boolean> {
    return asLockErrors(async () => {
      const ticket = this.#ticket;
      if (ticket?.ahead !== '') return false;
      if (!ticket.isValid && !ticket.lost.aborted) await ticket.renew(signal);
      return !ticket.lost.aborted;
    });
  }

  leave(served: boolean, signal: AbortSignal): Promise<void> {
    return asLockErrors(async () => {
      this.#left.abort();
      const { register, access } = this.#options;
      const ticket = this.#ticket;
      if (ticket) {
        const ahead = served ? undefined : this.#ahead?.ticket;
        const newest = ahead ? { ticket: ahead.metadata.name ?? '', order: orderOf(ahead) } : { ticket: '', order: ticket.order };
        // One that does not know its place leaves the register as it is: newcomers do not find the ticket, and read the whole queue.
        if (served || this.#isPlaced) await register.withdraw(ticket.order, newest, signal);
        await ticket.remove(signal);
      } else {
        // Perhaps one was created, and only the answer was lost.
        const created = await access.requests.get(this.#name, signal);
        if (created) await access.requests.remove(created, signal, true);
      }
    });
  }

  #newName(): string {
    return `${this.#options.names.ticketPrefix}${randomBytes(6).toString('hex')}`;
  }

  #startAgain(): void {
    this.#ticket = undefined;
    this.#isPlaced = false;
    this.#ahead = undefined;
    this.#name = this.#newName();
  }

  async #join(signal: AbortSignal): Promise<Ticket> {
    if (this.#ticket) return this.#ticket;
    this.#newestBefore = await this.#options.register.open(signal);
    // Not given up halfway: a ticket that is created after its owner has left would hold up those behind it.
    const { signal: never } = new AbortController();
    this.#ticket = await Ticket.take(this.#name, { ...this.#options, versions: this.#versions, left: this.#left.signal }, never);
    return this.#ticket;
  }

  async #findPlace(ticket: Ticket, signal: AbortSignal): Promise<void> {
    const { register, lookAround } = this.#options;
    await register.note(ticket.name, ticket.order, signal);
    await this.#goBehind(await lookAround.onArrival(ticket, this.#newestBefore, signal), ticket, signal);
    this.#isPlaced = true;
  }

  async #goBehind(ahead: Lease | undefined, ticket: Ticket, signal: AbortSignal): Promise<void> {
    const { clock, ticketSeconds } = this.#options.access;
    this.#ahead = ahead && new ObservedTicket(ahead, { versions: this.#versions, clock, ticketSeconds });
    await ticket.comesAfter(ahead?.metadata.name ?? '', signal);
  }

  /** Watches the ticket ahead until there is another one ahead, or none. */
  async #follow(ticket: Ticket, ahead: ObservedTicket, signal: AbortSignal): Promise<void> {
    const { requests, time } = this.#options.access;
    if (isLongDead(ahead.ticket, time.now()) || ahead.expiresIn <= 0) return this.#bury(ticket, ahead, signal);
    const gone = await this.#watch(ahead, signal);
    if (gone) return this.#replace(gone, ticket, signal);
    if (ahead.expiresIn <= 0) return;
    const current = await requests.get(ahead.ticket.metadata.name ?? '', signal);
    if (current && !isRemoved(current)) ahead.saw(current);
    else await this.#goBehind(await this.#options.lookAround.inQueue(ticket, signal), ticket, signal);
  }

  /** Resolves with the last state of the ticket if it is removed, and with nothing when it has expired or has to be read. */
  async #watch(ahead: ObservedTicket, signal: AbortSignal): Promise<Lease | undefined> {
    const { requests, clock } = this.#options.access;
    const { name = '', resourceVersion = '' } = ahead.ticket.metadata;
    const end = new AbortController();
    const within = AbortSignal.any([signal, end.signal]);
    const expiry = new WhenDue(
      clock,
      () => ahead.expiresIn,
      () => end.abort(),
    );
    let beyond = this.#followBeyond(ahead, expiry, within);
    try {
      for await (const { type, lease } of requests.watch({ name }, resourceVersion, within)) {
        if (type === 'DELETED' || isRemoved(lease)) return lease;
        const before = ticketAhead(ahead.ticket);
        ahead.saw(lease);
        expiry.check();
        if (ticketAhead(lease) === before) continue;
        beyond.abort();
        beyond = this.#followBeyond(ahead, expiry, within);
      }
      await pause(clock, REOPEN_AFTER, within);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isTooOld(error)) await pause(clock, LOOK_EVERY, within);
      else if (!end.signal.aborted) throw error;
    } finally {
      expiry.cancel();
      end.abort();
    }
    signal.throwIfAborted();
    return undefined;
  }

  /** Notes when the ticket is gone that the one ahead names, until it is told to stop. */
  #followBeyond(ahead: ObservedTicket, expiry: WhenDue, signal: AbortSignal): AbortController {
    const { requests, clock } = this.#options.access;
    const stop = new AbortController();
    const name = ticketAhead(ahead.ticket) ?? '';
    const until = AbortSignal.any([signal, stop.signal]);
    const gone = async (): Promise<boolean> => {
      const ticket = await requests.get(name, until);
      if (!ticket || isRemoved(ticket)) return true;
      for await (const { type, lease } of requests.watch({ name }, ticket.metadata.resourceVersion ?? '', until)) {
        if (type === 'DELETED' || isRemoved(lease)) return true;
      }
      return false;
    };
    const follow = async (): Promise<void> => {
      while (!until.aborted) {
        // An error concerns the watch on the ticket ahead as well, which reports it.
        if (await gone().catch(() => false)) {
          if (until.aborted) return;
          ahead.aheadIsGone();
          return expiry.check();
        }
        await pause(clock, LOOK_EVERY, until);
      }
    };
    if (name !== '') void follow();
    return stop;
  }

  /** Removes a ticket whose owner no longer renews it. */
  async #bury(ticket: Ticket, { ticket: dead }: ObservedTicket, signal: AbortSignal): Promise<void> {
    const { requests } = this.#options.access;
    if (await requests.remove(dead, signal)) return this.#replace(dead, ticket, signal);
    const current = await requests.get(dead.metadata.name ?? '', signal);
    if (current && !isRemoved(current)) this.#ahead?.saw(current);
    else await this.#goBehind(await this.#options.lookAround.inQueue(ticket, signal), ticket, signal);
  }

  /** The ticket ahead has been removed: its last state names the one ahead of it. If that is gone as well, only a list can tell. */
  async #replace(gone: Lease, ticket: Ticket, signal: AbortSignal): Promise<void> {
    const { lookAround } = this.#options;
    const name = ticketAhead(gone);
    if (name === '') return this.#goBehind(undefined, ticket, signal);
    const next = name === undefined ? undefined : await lookAround.named(name, ticket, signal);
    await this.#goBehind(next ?? (await lookAround.inQueue(ticket, signal)), ticket, signal);
  }
}
