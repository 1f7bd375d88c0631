import { leaseState } from '../leases/lease-state.js';
import { timeOf } from '../leases/observe-lease.js';
import type { ObservedLease } from '../leases/observed-lease.js';

/** Twice the time in which a flapping lease changes hands: acquireTime is by the holder's clock, which may be wrong. */
const RECENT_MS = 20 * 60_000;

/**
 * The leases that were acquired lately by their own words, the last one first, and after them those that do not say when, those with the most
 * transitions first. No other lease is flapping, unless its holders leave the acquireTime of an earlier one.
 */
export function recentlyAcquired(leases: Iterable<ObservedLease>, now: number): ObservedLease[] {
  const found: (readonly [lease: ObservedLease, acquired: number])[] = [];
  for (const lease of leases) {
    const acquired = timeOf(lease.lease.spec?.acquireTime);
    if (acquired === undefined ? leaseState(lease, now) === 'never-held' : acquired < now - RECENT_MS) continue;
    found.push([lease, acquired ?? 0]);
  }
  return found.sort(([a, one], [b, other]) => other - one || b.transitions - a.transitions).map(([lease]) => lease);
}
