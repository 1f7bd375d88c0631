import type { LeaseSpec } from './kubernetes-objects.js';

/** The election state in a Lease: client-go's LeaderElectionRecord. */
export interface ElectionRecord {
  /** Empty after a release: any candidate may take the lease. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions: number;
  readonly strategy?: string;
  readonly preferredHolder?: string;
}

export function recordFromSpec(spec: LeaseSpec = {}): ElectionRecord {
  return {
    holderIdentity: spec.holderIdentity ?? '',
    leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTime: spec.acquireTime,
    renewTime: spec.renewTime,
    leaseTransitions: spec.leaseTransitions ?? 0,
    strategy: spec.strategy,
    preferredHolder: spec.preferredHolder,
  };
}

/** Absent fields stay absent; an empty holder is written as an empty string. */
export function specFromRecord(record: ElectionRecord): LeaseSpec {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

export function sameRecord(a: ElectionRecord, b: ElectionRecord): boolean {
  return (Object.keys(b) as (keyof ElectionRecord)[]).every((field) => a[field] === b[field]);
}
