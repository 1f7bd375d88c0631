import { Inject, Injectable } from '@nestjs/common';
import { RefusedRequests } from '../../../endpoints/refusals/refused-requests.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { ServerMetrics } from '../../../telemetry/metrics/metric-registry.js';
import { SERVER_METRICS } from '../../../telemetry/metrics/metric-registry.js';
import { leaseExpiry } from '../../coordination/lease/lease-expiry.js';
import type { Lease } from '../../coordination/lease/lease.js';

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
    const help = 'Leases for which a request was refused within the last minute, and which nobody holds.';
    main.gauge({ name: 'coordination_leases_refused_and_not_held', help }, async (gauge) => {
      // Without the store there is no figure, but there are all others.
      gauge.clear();
      const count = await this.#count().catch(() => undefined);
      if (count !== undefined) gauge.with().set(count);
    });
  }

  async #count(): Promise<number> {
    const names = new Map<string, { namespace: string; name: string }>();
    const since = this.services.now() - RECENT_MS;
    for (const { resource, namespace, name, last } of this.refused.recent()) {
      if (resource !== LEASES || name === '' || last < since || names.size >= MOST) continue;
      names.set(`${namespace}/${name}`, { namespace, name });
    }
    const held = await Promise.all([...names.values()].map((key) => this.#isHeld(key)));
    return held.filter((isHeld) => !isHeld).length;
  }

  async #isHeld(key: { namespace: string; name: string }): Promise<boolean> {
    const { object: stored } = await this.services.objects.get({ resource: LEASES, ...key }, { kind: 'any' });
    if (!stored) return false;
    const lease = JSON.parse(stored.data) as Lease;
    return Boolean(lease.spec?.holderIdentity) && (leaseExpiry(lease, 'end') ?? Infinity) > this.services.now();
  }
}
