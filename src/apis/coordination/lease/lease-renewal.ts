import type { Lease, LeaseSpec } from './lease.schema.js';
import { microTime } from '../../../apimachinery/go/go-time.js';

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

/**
 * The renewTime of a renewal, as a MicroTime. Where the wall clock stands still it counts microseconds: a renewal that changes nothing is not stored,
 * and one that brings back an earlier time looks like none to whoever looks rarely, such as an elector of client-go.
 */
export function renewalTime(last: string | null | undefined, nowMs: number): string {
  const ms = new Date(nowMs).toISOString().slice(0, -1);
  const micros = last?.startsWith(ms) ? (Number(last.slice(ms.length, -1)) + 1) % 1_000 : 0;
  return microTime(nowMs, micros);
}
