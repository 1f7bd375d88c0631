import { type Clock, pause } from '../../../../kube-client/src/clock.js';
import { KubernetesError } from '../../../../kube-client/src/coordination-client.js';
import { type Lease, microTime, renewalTime } from '../../../../kube-client/src/kubernetes-objects.js';
import { type ServerAccess, versionOf } from '../lease-requests.js';
import type { LeaseNames } from '../slot-leases.js';

const RETRY_EVERY = 1_000;

export interface TicketOptions {
  readonly access: ServerAccess;
  readonly names: LeaseNames;
  readonly holder: string;
  readonly left: AbortSignal;
  /** Learn from every answer about the ticket. */
  readonly versions: KnownVersions;
  readonly onError: (error: unknown) => void;
}

/**
 * A small Lease that holds one contender's place in the queue. Its owner renews it; the next one in the queue removes it once it has expired.
 */
export class Ticket {
  readonly order: bigint;
  /** By the server's clock. */
  readonly createdAt: number;
  readonly #access: ServerAccess;
  readonly #versions: KnownVersions;
  readonly #onError: (error: unknown) => void;
  readonly #lost = new AbortController();
  #lease: Lease;
  #renewedAt: number;
  #ahead: string | undefined;
  #writing: Promise<void> = Promise.resolve();
  #wake = new AbortController();

  private constructor({ access, versions, onError }: TicketOptions, lease: Lease, takenAt: number) {
    this.#access = access;
    this.#versions = versions;
    this.#onError = onError;
    this.#lease = lease;
    this.#renewedAt = takenAt;
    this.order = versionOf(lease);
    this.createdAt = createdAt(lease);
    versions.saw(lease);
  }

  /** Takes a place at the end of the queue. The ticket is renewed until `left` aborts. */
  static async take(name: string, options: TicketOptions, signal: AbortSignal): Promise<Ticket> {
    const { access, names, holder, left } = options;
    const { requests, clock, time, namespace, ticketSeconds } = access;
    const at = clock.monotonic();
    const now = microTime(time.now());
    const metadata = { name, namespace, labels: { ...names.queueLabel } };
    const spec = { holderIdentity: holder, leaseDurationSeconds: ticketSeconds, acquireTime: now, renewTime: now };
    let lease: Lease | undefined;
    try {
      lease = await requests.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }, signal);
    } catch (error) {
      // The answer to an earlier attempt was lost.
      if (KubernetesError.isConflict(error)) lease = await requests.get(name, signal);
      if (!lease) throw error;
    }
    const ticket = new Ticket(options, lease, at);
    void ticket.#keep(left);
    return ticket;
  }

  get name(): string {
    return this.#lease.metadata.name ?? '';
  }

  /** The ticket ahead; empty for the first one, undefined as long as it is not known. */
  get ahead(): string | undefined {
    return this.#ahead;
  }

  /** Aborts when the ticket is gone: its owner was stopped, or cut off, for so long that it counted as dead. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether nobody can have removed it as expired. */
  get isValid(): boolean {
    return !this.lost.aborted && this.#access.clock.monotonic() - this.#renewedAt < this.#seconds * 1000;
  }

  /** Records which ticket is ahead, for the next one in the queue. */
  async comesAfter(ahead: string, signal: AbortSignal): Promise<void> {
    this.#ahead = ahead;
    await this.renew(signal);
    this.#wake.abort();
  }

  /** Renewals of one ticket never overlap. */
  renew(signal: AbortSignal): Promise<void> {
    const renewal = this.#writing.then(() => this.#write(signal));
    this.#writing = renewal.catch(() => undefined);
    return renewal;
  }

  async remove(signal: AbortSignal): Promise<void> {
    await this.#writing;
    await this.#access.requests.remove(this.#lease, signal, true);
  }

  get #seconds(): number {
    const { ticketSeconds } = this.#access;
    return this.#ahead === '' ? Math.min(SECONDS_OF_FIRST, ticketSeconds) : ticketSeconds;
  }

  async #keep(left: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([left, this.lost]);
    let wait = this.#seconds / 3;
    while (!ended.aborted) {
      this.#wake = new AbortController();
      await pause(this.#access.clock, wait * 1000 * (0.9 + 0.2 * Math.random()), AbortSignal.any([ended, this.#wake.signal]));
      wait = this.#seconds / 3;
      if (ended.aborted || this.#wake.signal.aborted) continue;
      try {
        await this.renew(left);
      } catch (error) {
        this.#versions.distrust();
        if (!ended.aborted) this.#onError(error);
        wait = RETRY_EVERY / 1000;
      }
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    this.lost.throwIfAborted();
    const { requests, clock } = this.#access;
    for (let tries = 0; ; tries++) {
      const at = clock.monotonic();
      try {
        this.#lease = await requests.update(this.#next(), signal);
        if (isRemoved(this.#lease)) return this.#lost.abort();
        this.#renewedAt = at;
        this.#versions.saw(this.#lease);
        return;
      } catch (error) {
        if (!(error instanceof KubernetesError) || tries > 0) throw error;
      }
      const current = await requests.get(this.name, signal);
      if (!current || current.metadata['uid'] !== this.#lease.metadata['uid']) return this.#lost.abort();
      this.#versions.sawAgain(this.#lease, current);
      this.#lease = current;
    }
  }

  #next(): Lease {
    const { metadata, spec } = this.#lease;
    const place = { [ORDER]: this.order.toString(), ...(this.#ahead !== undefined && { [AFTER]: this.#ahead }) };
    const annotations = { ...(metadata['annotations'] as object | undefined), ...place };
    const renewTime = renewalTime(this.#access.time.now(), spec?.renewTime);
    return { ...this.#lease, metadata: { ...metadata, annotations }, spec: { ...spec, leaseDurationSeconds: this.#seconds, renewTime } };
  }
}

/** The place in the queue: the resourceVersion at which the ticket was created. */
export const ORDER = 'coordination-apiserver/order';
/** The name of the ticket ahead; empty in the first one. Absent until its owner knows. */
export const AFTER = 'coordination-apiserver/after';

/** How long a ticket lasts. Ten thousand contenders that wait are a thousand renewals a second. */
export const TICKET_SECONDS = 30;

/** How long the first ticket lasts, for which everybody waits. */
export const SECONDS_OF_FIRST = 6;

/** Longer numbers are no revisions. */
export const REVISION = /^\d{1,19}$/;

/** A ticket that was never changed lacks the annotation, and its version is that of its creation. */
export function orderOf(ticket: Lease): bigint {
  const order = annotation(ticket, ORDER);
  return order !== undefined && REVISION.test(order) ? BigInt(order) : versionOf(ticket);
}

/** Clocks of servers may differ by so much. */
const CLOCKS_DIFFER = 90_000;

/**
 * Whether a ticket is ahead of another one: by its order, which it says itself, unless the server created it long after the other one. Else whoever
 * may create tickets could always put another one in front.
 */
export function isAhead(ticket: Lease, other: { readonly order: bigint; readonly createdAt: number }): boolean {
  return orderOf(ticket) < other.order && !(createdAt(ticket) > other.createdAt + CLOCKS_DIFFER);
}

export function createdAt({ metadata }: Lease): number {
  return Date.parse(String(metadata['creationTimestamp']));
}

/** Whether somebody has removed it, though a finalizer, which whoever creates a ticket may add, keeps it. */
export function isRemoved({ metadata }: Lease): boolean {
  return metadata['deletionTimestamp'] !== undefined;
}

export function ticketAhead(ticket: Lease): string | undefined {
  return annotation(ticket, AFTER);
}

export function annotation({ metadata }: Lease, key: string): string | undefined {
  const annotations = metadata['annotations'];
  return annotations?.[key];
}

/** A ticket that is older by its own times is dead anyway (`isLongDead`); a longer memory would be of no use. */
const REMEMBERED = 90_000;

/**
 * When the versions of the server were first known here. They grow with every write, whatever is written: a lease that now has a version which is
 * not above one that was known at some moment has not changed since. So a contender observes every ticket ahead for as long as it waits, by the
 * versions that it learns from its own renewals, without a request for any of them; and no clock but its own counts.
 */
export class KnownVersions {
  readonly #clock: Clock;
  /** Versions and the times at which they were known; both rise. */
  #known: { readonly version: bigint; readonly at: number }[] = [];
  #reliableFrom = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a lease that the server has sent. Returns the moment since which it has not changed, unless it has another version by now. */
  saw(lease: Lease): number {
    const version = versionOf(lease);
    const known = this.#known.find((one) => one.version >= version);
    if (known) return known.at;
    const at = this.#clock.monotonic();
    this.#known.push({ version, at });
    while (this.#known[1] && this.#known[1].at <= at - REMEMBERED) this.#known.shift();
    return at;
  }

  /** Notes a later state of a lease. One with a smaller version is from a database that was set back: changes are undone, versions come again. */
  sawAgain(before: Lease, lease: Lease): number {
    if (versionOf(lease) < versionOf(before)) this.distrust();
    return this.saw(lease);
  }

  /** While the server did not answer, nobody could renew: what was known before tells nothing about the time since. */
  distrust(): void {
    this.#known = [];
    this.#reliableFrom = this.#clock.monotonic();
  }

  /** What happened before this moment does not count. */
  get reliableFrom(): number {
    return this.#reliableFrom;
  }
}
