import type { Clock } from '../../../../kube-client/src/clock.js';
import type { Lease } from '../../../../kube-client/src/kubernetes-objects.js';
import { versionOf } from '../lease-requests.js';
import type { KnownVersions } from './known-versions.js';
import { SECONDS_OF_FIRST, TICKET_SECONDS, ticketAhead } from './ticket-fields.js';

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
