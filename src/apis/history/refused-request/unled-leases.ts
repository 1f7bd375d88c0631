import { Inject, Injectable } from '@nestjs/common';
import { type RefusedRequest, RefusedRequests } from '../../../endpoints/refusals/refused-requests.js';
import { StoreServices } from '../../../registry/store-of.js';
import { type ServerMetrics, SERVER_METRICS } from '../../../telemetry/metrics/metric-registry.js';
import { type Lease, leaseExpiry } from '../../coordination/lease/lease.schema.js';

const LEASES = 'leases.coordination.k8s.io';
/** Electors try again every few seconds. */
const RECENT_MS = 60_000;
/** How many are looked up for a scrape. */
const MOST = 500;

/** Counts, when metrics are read, the leases that somebody asks for in vain and nobody holds. */
@Injectable()
export class UnledLeases {
  constructor(
    private readonly services: StoreServices,
    private readonly refused: RefusedRequests,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
  ) {
    const help =
      'Leases for which a request was refused within the last minute, and which nobody holds, by the cause of the latest refusal.';
    main.gauge({ name: 'coordination_leases_refused_and_not_held', help, labels: ['cause'] }, async (gauge) => {
      // Without the store there is no figure, but there are all others.
      gauge.clear();
      const causes = await this.#causes().catch(() => undefined);
      for (const [cause, count] of causes ?? []) gauge.with(cause).set(count);
    });
  }

  async #causes(): Promise<Map<string, number>> {
    const latest = new Map<string, RefusedRequest>();
    const since = this.services.now() - RECENT_MS;
    for (const each of this.refused.recent()) {
      const { resource, namespace, name, last } = each;
      if (resource !== LEASES || name === '' || last < since) continue;
      const key = `${namespace}/${name}`;
      const before = latest.get(key);
      if (before ? before.last < last : latest.size < MOST) latest.set(key, each);
    }
    const unled = await Promise.all([...latest.values()].map(async (each) => ((await this.#isHeld(each)) ? [] : [each.cause])));
    const causes = new Map<string, number>();
    for (const cause of unled.flat()) causes.set(cause, (causes.get(cause) ?? 0) + 1);
    return causes;
  }

  async #isHeld({ namespace, name }: RefusedRequest): Promise<boolean> {
    const { object: stored } = await this.services.objects.get({ resource: LEASES, namespace, name }, { kind: 'any' });
    if (!stored) return false;
    const lease = JSON.parse(stored.data) as Lease;
    return Boolean(lease.spec?.holderIdentity) && (leaseExpiry(lease, 'end') ?? Infinity) > this.services.now();
  }
}
