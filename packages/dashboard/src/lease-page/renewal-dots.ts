import { DUE_PART } from '../leases/lease-state.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import type { Dot } from '../timeline/dot-plot.js';

const KEPT = 1200;

/** Adds the renewal that came between two observations of a lease; the same array if there was none. */
export function renewalDots(dots: readonly Dot[], before: ObservedLease, after: ObservedLease): readonly Dot[] {
  const { renewedAt: at, durationMs = Infinity, observed, key } = after;
  if (before.key !== key) return [];
  // A change of the holder is no renewal.
  if (before.terms !== after.terms) return dots;
  if (!observed || !before.observed || at === undefined || before.renewedAt === undefined || at <= before.renewedAt) return dots;
  const ms = at - before.renewedAt;
  return [...dots.slice(1 - KEPT), { at, ms, kind: ms >= durationMs * DUE_PART ? 'late' : 'renewed' }];
}
