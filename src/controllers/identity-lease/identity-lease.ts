import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import type { AuthSettings } from '../../auth/auth.settings.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource/resource-store.js';
import { microsOf } from '../../apimachinery/go/go-time.js';

export const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';
/** The component name that clients look for. */
const IDENTITY_COMPONENT = 'kube-apiserver';
/** The one behind a cluster, whose kube-apiservers would otherwise take this server for a peer. */
const COMPONENT_BEHIND_CLUSTER = 'coordination-apiserver';
const IDENTITY_NAMESPACE = 'kube-system';
export const IDENTITY_DURATION_SECONDS = 3600;

/** The value of the identity label. */
export function identityComponent({ clusterKubeconfig }: Pick<AuthSettings, 'clusterKubeconfig'>): string {
  return clusterKubeconfig === '' ? IDENTITY_COMPONENT : COMPONENT_BEHIND_CLUSTER;
}

export function identityTarget(leases: ResourceStore<Lease>, name: string): RequestTarget {
  return { version: leases.definition.storageVersion, namespace: IDENTITY_NAMESPACE, name };
}

/** Whether a replica failed to renew its lease in time. A lease without a renewal time counts as expired. */
export function isIdentityExpired({ spec }: Lease, nowMs: number): boolean {
  const renewed = microsOf(spec?.renewTime ?? undefined);
  const seconds = spec?.leaseDurationSeconds;
  return renewed === undefined || seconds === undefined || seconds === null || renewed / 1000 + seconds * 1000 < nowMs;
}
