import type { ObservedLease } from '../leases/observed-lease.js';
import { showDuration } from '../text/show-time.js';

/** The time since the last renewal in whole seconds, and for a lease with a duration, out of how many. */
export function showAge({ renewedAt, durationMs, holder }: ObservedLease, now: number): string {
  if (renewedAt === undefined) return holder === '' ? '' : 'no renewals';
  const age = Math.max(0, now - renewedAt);
  const text = age < 10_000 ? `${Math.floor(age / 1000)} s` : showDuration(age);
  // For a late renewal the delay says more than the duration.
  return durationMs === undefined || holder === '' || age >= durationMs ? text : `${text} / ${showSeconds(durationMs)}`;
}

function showSeconds(ms: number): string {
  return ms < 60_000 ? `${ms / 1000} s` : showDuration(ms);
}
