/** The part of ObjectMeta that is used here; all other fields are sent back as the server sent them. */
export interface ObjectMeta {
  name?: string;
  namespace?: string;
  resourceVersion?: string;
  labels?: Record<string, string>;
  annotations?: Readonly<Record<string, string>>;
  [field: string]: unknown;
}

export interface KubernetesObject<Spec> {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec?: Spec;
}

/** Times are RFC 3339 with microseconds, as on the wire. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
}

export interface LeaseCandidateSpec {
  leaseName: string;
  binaryVersion: string;
  emulationVersion?: string;
  strategy: string;
  pingTime?: string;
  renewTime?: string;
}

/** coordination.k8s.io/v1 */
export type Lease = KubernetesObject<LeaseSpec>;

/** coordination.k8s.io/v1beta1 */
export type LeaseCandidateObject = KubernetesObject<LeaseCandidateSpec>;

/** metav1.MicroTime's format. */
export function microTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}

/**
 * The time of a renewal. Where the wall clock stands still it counts microseconds: an update that changes nothing is not stored, and one that brings
 * back an earlier time looks like none to a candidate that looks rarely, and takes the holder for dead.
 */
export function renewalTime(time: Date, last: string | undefined): string {
  const ms = time.toISOString().slice(0, -1);
  const micros = last?.startsWith(ms) ? (Number(last.slice(ms.length, -1)) + 1) % 1_000 : 0;
  return `${ms}${String(micros).padStart(3, '0')}Z`;
}
