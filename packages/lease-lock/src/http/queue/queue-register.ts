import { KubernetesError } from '../../../../kube-client/src/coordination-client.js';
import { type Lease, microTime } from '../../../../kube-client/src/kubernetes-objects.js';
import type { LeaseNames } from '../slot-leases.js';
import { type ServerAccess, versionOf } from '../lease-requests.js';
import { ORDER, REVISION, annotation } from './ticket.js';

/** The newest ticket that has joined, as far as is noted. */
export interface Newest {
  /** Empty if nobody waits. */
  readonly ticket: string;
  /** Every ticket with a smaller order was there when this one looked around. */
  readonly order: bigint;
  /** Milliseconds since the last note. */
  readonly age: number;
}

/**
 * A Lease that names the newest ticket of the queue, so that a newcomer need not list them all. Each ticket notes itself, unless a newer
 * one has been noted already: hundreds that come at once write it only a few times.
 */
export class QueueRegister {
  readonly #access: ServerAccess;
  readonly #names: LeaseNames;

  constructor(access: ServerAccess, names: LeaseNames) {
    this.#access = access;
    this.#names = names;
  }

  /** Undefined if there is no register, and so no queue that has ever been noted. */
  async read(signal: AbortSignal): Promise<Newest | undefined> {
    const lease = await this.#get(signal);
    return lease && this.#newest(lease);
  }

  /** Makes sure that there is a register. False if there was none. */
  async open(signal: AbortSignal): Promise<Newest | undefined> {
    const known = await this.read(signal);
    if (known) return known;
    const { namespace, requests } = this.#access;
    const metadata = { name: this.#names.register, namespace, labels: { ...this.#names.queueLabel } };
    const lease = this.#noting({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata }, '', 0n);
    try {
      await requests.create(lease, signal);
      return undefined;
    } catch (error) {
      if (!KubernetesError.isConflict(error)) throw error;
      return this.read(signal);
    }
  }

  /** Notes a ticket, unless a newer one is noted. */
  note(ticket: string, order: bigint, signal: AbortSignal): Promise<void> {
    return this.#change((newest) => newest.order < order, ticket, order, signal);
  }

  /** Takes a ticket back that is still noted: the queue then ends at the one ahead of it, or is empty. */
  withdraw(order: bigint, ahead: { readonly ticket: string; readonly order: bigint }, signal: AbortSignal): Promise<void> {
    return this.#change((newest) => newest.order === order && newest.ticket !== '', ahead.ticket, ahead.order, signal);
  }

  async #change(due: (newest: Newest) => boolean, ticket: string, order: bigint, signal: AbortSignal): Promise<void> {
    for (;;) {
      const lease = await this.#get(signal);
      if (!lease || !due(this.#newest(lease))) return;
      try {
        await this.#access.requests.update(this.#noting(lease, ticket, order), signal);
        return;
      } catch (error) {
        if (!KubernetesError.isConflict(error)) throw error;
      }
    }
  }

  #get(signal: AbortSignal): Promise<Lease | undefined> {
    return this.#access.requests.get(this.#names.register, signal);
  }

  #newest(lease: Lease): Newest {
    const { holderIdentity: ticket = '', renewTime = '' } = lease.spec ?? {};
    const noted = annotation(lease, ORDER) ?? '';
    const order = REVISION.test(noted) ? BigInt(noted) : 0n;
    const age = this.#access.time.now().getTime() - (Date.parse(renewTime) || 0);
    // Until the first note the register is younger than no ticket.
    return { ticket, order: order === 0n ? versionOf(lease) : order, age };
  }

  #noting(lease: Lease, ticket: string, order: bigint): Lease {
    const annotations = { ...(lease.metadata['annotations'] as object | undefined), [ORDER]: order.toString() };
    const spec = { holderIdentity: ticket, renewTime: microTime(this.#access.time.now()) };
    return { ...lease, metadata: { ...lease.metadata, annotations }, spec };
  }
}
