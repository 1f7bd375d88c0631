/** Names of the controllers, as in `--controllers`. They are also the field managers of what the controllers write. */
export const NAMESPACE_DELETION = 'namespace-controller';
export const FINALIZER_CLEARING = 'garbage-collector';
export const LEADER_ELECTION = 'leader-election-controller';
export const LEASE_CANDIDATE_GC = 'leasecandidate-gc-controller';
export const IDENTITY_LEASE = 'identity-lease-controller';
export const IDENTITY_LEASE_GC = 'identity-lease-gc-controller';

export const CLUSTER_ROLE_AGGREGATION = 'clusterrole-aggregation-controller';
export const EVENT_EXPIRY = 'event-expiry-controller';
export const CLUSTER_NAMESPACES = 'cluster-namespace-controller';
export const LEASE_EXPIRY = 'lease-expiry-controller';
export const ABANDONED_LEASES = 'abandoned-lease-controller';

export const CONTROLLERS: readonly string[] = [
  NAMESPACE_DELETION,
  FINALIZER_CLEARING,
  LEADER_ELECTION,
  LEASE_CANDIDATE_GC,
  EVENT_EXPIRY,
  LEASE_EXPIRY,
  ABANDONED_LEASES,
  CLUSTER_ROLE_AGGREGATION,
  IDENTITY_LEASE,
  IDENTITY_LEASE_GC,
  CLUSTER_NAMESPACES,
];

/** Whether a list of names, `-names` and `*` enables a controller (same rules as kube-controller-manager). */
export function isControllerEnabled(selection: readonly string[], name: string): boolean {
  if (selection.includes(name)) return true;
  return !selection.includes(`-${name}`) && selection.includes('*');
}
