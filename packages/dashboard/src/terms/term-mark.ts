import type { ObservedLease } from '../leases/observed-lease.js';
import { leaseState } from '../leases/lease-state.js';

/** Changes whenever the server may have begun, ended or marked a term of a lease. */
export function termMark(lease: ObservedLease | undefined, now: number): string {
  if (!lease) return '';
  const { holder, transitions } = lease;
  return `${lease.lease.metadata.uid ?? ''} ${transitions} ${leaseState(lease, now) === 'expired'} ${holder}`;
}
