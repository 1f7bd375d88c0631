import { humanDuration } from '../../apimachinery/meta/human-duration.js';
import type { KubeObject } from './kube-client.js';

/** FREE: nobody is named. EXPIRED: somebody is, who has not renewed it in time. */
export type LeaseHolding = 'HELD' | 'EXPIRED' | 'FREE';

/** What people want to know of a lease. */
export interface LeaseState {
  readonly namespace: string;
  readonly name: string;
  readonly state: LeaseHolding;
  readonly holder: string;
  /** Milliseconds until it runs out, negative since it has; absent where it says nothing of that. */
  readonly remainingMs?: number;
  /** The resourceVersion: what a holder who asks now has as its fencing token. */
  readonly revision: string;
}

interface Spec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly renewTime?: string;
}

/** By this machine's clock. A lease that says for how long it is held only in part never expires. */
export function leaseState({ metadata = {}, spec }: KubeObject, now: number): LeaseState {
  const { holderIdentity: holder = '', leaseDurationSeconds: seconds, renewTime } = (spec ?? {}) as Spec;
  const remainingMs = seconds === undefined || renewTime === undefined ? undefined : Date.parse(renewTime) + seconds * 1000 - now;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    state: holder === '' ? 'FREE' : remainingMs !== undefined && remainingMs <= 0 ? 'EXPIRED' : 'HELD',
    holder,
    ...(holder === '' || remainingMs === undefined ? {} : { remainingMs }),
    revision: metadata.resourceVersion ?? '',
  };
}

/** `12s`, or since when: `3m ago`. */
export function remaining({ remainingMs }: LeaseState): string {
  if (remainingMs === undefined) return '';
  return remainingMs > 0 ? humanDuration(remainingMs) : `${humanDuration(-remainingMs)} ago`;
}
