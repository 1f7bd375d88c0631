import type { MetricRegistry } from '../telemetry/metrics/metric-registry.js';
import { type QuotaRefusal, QUOTA_KINDS, QUOTA_SCOPES } from './watch-cache/quota.js';
import type { Ledgers, Usage } from './watch-cache/state/usage.js';

const MOST_NAMES = 1000;

/** Metrics of the room for objects: how much is used, who has the most of it, and what was refused. */
export class QuotaMetrics {
  readonly #registry: MetricRegistry;
  readonly #refusals;
  /** The names of users who were refused, by what the uids of their objects begin with. */
  readonly #names = new Map<string, string>();

  constructor(registry: MetricRegistry) {
    this.#registry = registry;
    this.#refusals = registry.counter({
      name: 'coordination_quota_refusals_total',
      help: 'Writes refused because there is no room: in all, or in the share of a namespace or user.',
      labels: ['kind', 'scope'],
    });
    for (const kind of QUOTA_KINDS) for (const scope of QUOTA_SCOPES) this.#refusals.with(kind, scope);
  }

  refused({ kind, scope, creator, user }: QuotaRefusal): void {
    this.#refusals.with(kind, scope).inc();
    if (scope !== 'user' || user === undefined) return;
    const [first] = this.#names.keys();
    if (this.#names.size >= MOST_NAMES && first !== undefined) this.#names.delete(first);
    this.#names.set(creator, user);
  }

  sample(ledgers: () => Ledgers): void {
    const used = { name: 'coordination_quota_bytes', help: 'Size of all objects, each at least 1 KiB, by kind.', labels: ['kind'] };
    this.#registry.gauge(used, (gauge) => {
      for (const kind of QUOTA_KINDS) gauge.with(kind).set(ledgers()[kind].total.bytes);
    });
    const largest = {
      name: 'coordination_quota_largest_bytes',
      help: 'The part of coordination_quota_bytes that one namespace, and one user, has: whoever has the most. A user is named once refused, and until then by what the uids of the objects begin with.',
      labels: ['kind', 'scope', 'owner'],
    };
    this.#registry.gauge(largest, (gauge) => {
      gauge.clear();
      for (const kind of QUOTA_KINDS) {
        const { namespaces, creators } = ledgers()[kind];
        const [namespace, inNamespace] = largestOf(namespaces);
        const [creator, byCreator] = largestOf(creators);
        if (namespace !== '') gauge.with(kind, 'namespace', namespace).set(inNamespace);
        if (creator !== '') gauge.with(kind, 'user', this.#names.get(creator) ?? creator).set(byCreator);
      }
    });
  }
}

function largestOf(shares: ReadonlyMap<string, Usage>): [owner: string, bytes: number] {
  let largest: [string, number] = ['', 0];
  for (const [owner, { bytes }] of shares) if (bytes > largest[1]) largest = [owner, bytes];
  return largest;
}
