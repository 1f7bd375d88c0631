import { humanDuration } from '../../apimachinery/go/go-duration.js';
import { type Lease, leaseExpiry } from '../../apis/coordination/lease/lease.schema.js';
import type { KubeObject } from '../../kube/kube-object.js';

/** FREE: no holder. EXPIRED: the holder did not renew in time. */
export type LeaseHolding = 'HELD' | 'EXPIRED' | 'FREE';

/** A lease as the `leases` command shows it. */
export interface LeaseState {
  readonly namespace: string;
  readonly name: string;
  readonly state: LeaseHolding;
  readonly holder: string;
  /** Milliseconds until expiry, negative after it; undefined if the lease does not expire. */
  readonly remainingMs?: number;
  /** The resourceVersion, which is the fencing token of a holder that reads the lease now. */
  readonly revision: string;
}

/** Evaluates a lease by the local clock. */
export function leaseState(lease: KubeObject, now: number): LeaseState {
  const { metadata = {}, spec } = lease as Lease & KubeObject;
  const holder = spec?.holderIdentity ?? '';
  const expiry = leaseExpiry({ metadata, spec }, 'beginning');
  const remainingMs = expiry === undefined ? undefined : expiry - now;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    state: holder === '' ? 'FREE' : remainingMs !== undefined && remainingMs <= 0 ? 'EXPIRED' : 'HELD',
    holder,
    ...(holder === '' || remainingMs === undefined ? {} : { remainingMs }),
    revision: metadata.resourceVersion ?? '',
  };
}

/** Formats the remaining time as `12s`, or the time since expiry as `3m ago`. */
export function remaining({ remainingMs }: LeaseState): string {
  if (remainingMs === undefined) return '';
  return remainingMs > 0 ? humanDuration(remainingMs) : `${humanDuration(-remainingMs)} ago`;
}
