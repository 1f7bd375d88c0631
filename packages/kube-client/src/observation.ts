import type { LeaseSpec } from './kubernetes-objects.js';

/**
 * The last record seen and when it was first seen, by the local clock. Only this decides whether a lease has expired: the times
 * inside the record come from other machines' clocks, and only their change has a meaning (client-go's leaderelection.go).
 */
export class Observation {
  #record: ElectionRecord | undefined;
  #since = -Infinity;

  get record(): ElectionRecord | undefined {
    return this.#record;
  }

  /** Notes a record that was read; a record equal to the last one keeps its age. */
  saw(record: ElectionRecord, at: number): void {
    if (this.#record && sameRecord(this.#record, record)) return;
    this.#record = record;
    this.#since = at;
  }

  /** Notes a record that this process wrote; its age counts from the sending of the request. */
  wrote(record: ElectionRecord, at: number): void {
    this.#record = record;
    this.#since = at;
  }

  expired(now: number): boolean {
    return this.#record === undefined || now >= this.#since + this.#record.leaseDurationSeconds * 1000;
  }

  /** Milliseconds since the record was first seen. */
  age(now: number): number {
    return now - this.#since;
  }
}

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

function sameRecord(a: ElectionRecord, b: ElectionRecord): boolean {
  return (Object.keys(b) as (keyof ElectionRecord)[]).every((field) => a[field] === b[field]);
}
