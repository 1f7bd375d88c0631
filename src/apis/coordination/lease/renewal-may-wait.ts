import type { Lease, LeaseSpec } from './lease.schema.js';

/** A wait is no longer than this share of the lease's duration, so that it moves no deadline that anybody could notice. */
const SHARE = 1 / 1000;

/**
 * How long the holder's own renewal may wait for company, in milliseconds: its deadline is seconds away, whereas whoever takes, releases or
 * changes a lease waits for the answer. Asked of updates that begin and end no term.
 */
export function renewalMayWait({ spec: next }: Lease, { spec: old }: Lease): number {
  if (!next?.holderIdentity || !old || UNCHANGED.some((field) => next[field] !== old[field])) return 0;
  return (next.leaseDurationSeconds ?? 0) * 1000 * SHARE;
}

/** What a renewal leaves as it is. */
const UNCHANGED: readonly (keyof LeaseSpec)[] = ['holderIdentity', 'leaseDurationSeconds', 'strategy', 'preferredHolder'];
