import type { ObservedLease } from './observed-lease.js';

/**
 * `held`: renewed in time; `due`: the renewal is so late that client-go's elector would have stopped leading (10 s of 15 s by
 * default); `expired`: any candidate may take it; `released`: the holder released it; `never-held`: created, but never held.
 */
export type LeaseState = 'held' | 'due' | 'expired' | 'released' | 'never-held';

/** The fraction of its duration after which a renewal is late. */
export const DUE_PART = 2 / 3;

type Timed = Pick<ObservedLease, 'holder' | 'durationMs' | 'renewedAt' | 'lease'>;

export function leaseState(lease: Timed, now: number): LeaseState {
  if (lease.holder === '') return wasHeld(lease) ? 'released' : 'never-held';
  const part = agePart(lease, now);
  if (part === undefined || part < DUE_PART) return 'held';
  return part < 1 ? 'due' : 'expired';
}

/** The fraction of its duration that has passed since the last renewal; undefined if the lease does not expire. */
function agePart({ durationMs, renewedAt }: Timed, now: number): number | undefined {
  if (durationMs === undefined || durationMs <= 0 || renewedAt === undefined) return undefined;
  return Math.max(0, now - renewedAt) / durationMs;
}

function wasHeld({ lease: { spec = {} } }: Timed): boolean {
  return Boolean(spec.renewTime ?? spec.acquireTime) || (spec.leaseTransitions ?? 0) > 0;
}
