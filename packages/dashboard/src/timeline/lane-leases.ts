import { type Flaps, searchFor } from '../leases/lease-query.js';
import { timeOf } from '../leases/observe-lease.js';
import type { ObservedLease } from '../leases/observed-lease.js';

/** The leases that match a search, those that changed hands last first. */
export function laneLeases(leases: Iterable<ObservedLease>, search: string, now: number, flaps: Flaps): ObservedLease[] {
  const matches = searchFor(search, flaps);
  const found: (readonly [lease: ObservedLease, changedAt: number])[] = [];
  for (const lease of leases) if (matches(lease, now)) found.push([lease, changedAt(lease)]);
  return found.sort(([a, one], [b, other]) => other - one || (a.key < b.key ? -1 : 1)).map(([lease]) => lease);
}

/** When its present holder acquired it, or its last one released it. */
function changedAt({ lease: { spec = {} }, holder, terms }: ObservedLease): number {
  const seen = terms.length > 1 ? (terms.at(-1)?.from ?? 0) : 0;
  const written = timeOf(spec.acquireTime) ?? (holder === '' ? timeOf(spec.renewTime) : undefined) ?? 0;
  return Math.max(seen, written);
}
