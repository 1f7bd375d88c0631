import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';

/** What a lease says. Absent is not the same as '' or 0. Times are MicroTimes, such as `2006-01-02T15:04:05.000000Z`. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
}

/** The hub type of leases; it has the shape of v1. */
export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}
