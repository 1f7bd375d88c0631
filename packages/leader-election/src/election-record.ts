import type { LeaseSpec } from './kubernetes-objects.js';

/** What a Lease says about the election: client-go's LeaderElectionRecord. */
export interface ElectionRecord {
  /** Empty after a release: anyone may take it. */
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

/** Absent fields stay absent; an empty holder is written as such. */
export function specFromRecord(record: ElectionRecord): LeaseSpec {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

export function sameRecord(a: ElectionRecord, b: ElectionRecord): boolean {
  return (Object.keys(b) as (keyof ElectionRecord)[]).every((field) => a[field] === b[field]);
}
