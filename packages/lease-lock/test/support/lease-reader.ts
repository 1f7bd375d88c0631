import { httpsTransport } from '../../../kube-client/src/https-transport.js';
import type { Lease } from '../../../kube-client/src/kubernetes-objects.js';
import { apiAccess } from '../../../leader-election/test/support/api-access.js';
import { systemClock } from '../../../kube-client/src/clock.js';
import { eventually } from '../../../../test/support/eventually.js';
import type { ServerProcess } from '../../../../test/support/server-process.js';
import { LeaseRequests, ServerTime } from '../../src/http/lease-requests.js';
import { leaseNames } from '../../src/http/slot-leases.js';
import { orderOf } from '../../src/http/queue/ticket.js';

const never = new AbortController().signal;

/** What a test reads and writes beside the locks. */
export class LeaseReader {
  private constructor(readonly requests: LeaseRequests) {}

  static async of(server: ServerProcess): Promise<LeaseReader> {
    const transport = httpsTransport(await apiAccess(server));
    return new LeaseReader(new LeaseRequests(transport, 'default', systemClock, new ServerTime(systemClock)));
  }

  get(name: string): Promise<Lease | undefined> {
    return this.requests.get(name, never);
  }

  create(name: string, spec: Lease['spec']): Promise<Lease> {
    return this.requests.create({ metadata: { name, namespace: 'default' }, spec }, never);
  }

  update(lease: Lease, spec: Lease['spec']): Promise<Lease> {
    return this.requests.update({ ...lease, spec: { ...lease.spec, ...spec } }, never);
  }

  async holder(name: string): Promise<string | undefined> {
    return (await this.get(name))?.spec?.holderIdentity;
  }

  async remove(name: string): Promise<void> {
    const lease = await this.get(name);
    if (lease) await this.requests.remove(lease, never, true);
  }

  /** The holders of the tickets of a queue, in order. */
  async waiting(lock: string): Promise<string[]> {
    return (await this.tickets(lock)).map(({ spec }) => spec?.holderIdentity ?? '');
  }

  /** Resolves once this many wait. */
  async untilWaiting(lock: string, count: number): Promise<void> {
    await eventually(
      async () => (await this.waiting(lock)).length === count,
      () => `not ${count} wait for ${lock}`,
    );
  }

  async tickets(lock: string): Promise<Lease[]> {
    const { ticketPrefix, queueLabel } = leaseNames(lock);
    const [[key = '', value = ''] = []] = Object.entries(queueLabel);
    const leases = await this.requests.list(`${key}=${value}`, never);
    return leases
      .filter(({ metadata }) => metadata.name?.startsWith(ticketPrefix))
      .sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }
}
