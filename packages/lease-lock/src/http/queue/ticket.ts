import { KubernetesError } from '../../../../kube-client/src/kubernetes-error.js';
import { type Lease, microTime, renewalTime } from '../../../../kube-client/src/kubernetes-objects.js';
import { pause } from '../../../../kube-client/src/pause.js';
import type { LeaseNames } from '../lease-names.js';
import { versionOf } from '../lease-requests.js';
import type { ServerAccess } from '../server-access.js';
import type { KnownVersions } from './known-versions.js';
import { AFTER, createdAt, isRemoved, ORDER, SECONDS_OF_FIRST } from './ticket-fields.js';

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
