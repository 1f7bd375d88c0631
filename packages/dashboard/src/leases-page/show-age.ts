import type { ObservedLease } from '../leases/observed-lease.js';
import { showDuration } from '../text/show-time.js';

/** The time since the last renewal, in whole seconds, and of how many, for a lease that runs out. */
export function showAge({ renewedAt, durationMs, holder }: ObservedLease, now: number): string {
  if (renewedAt === undefined) return holder === '' ? '' : 'no renewals';
  const age = Math.max(0, now - renewedAt);
  const text = age < 10_000 ? `${Math.floor(age / 1000)} s` : showDuration(age);
  // How late it is says more than what was agreed.
  return durationMs === undefined || holder === '' || age >= durationMs ? text : `${text} / ${showSeconds(durationMs)}`;
}

function showSeconds(ms: number): string {
  return ms < 60_000 ? `${ms / 1000} s` : showDuration(ms);
}
