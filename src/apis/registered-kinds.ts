/**
 * The kinds that upstream's scheme knows in the groups of this server, served or not: a body of another known kind or version is
 * refused in other words than one of an unknown kind. Lists and option kinds belong to each by themselves.
 */
export const REGISTERED_KINDS: Readonly<Record<string, readonly string[]>> = {
  v1: ['Namespace'],
  'coordination.k8s.io/v1': ['Lease'],
  'coordination.k8s.io/v1beta1': ['Lease', 'LeaseCandidate'],
  'coordination.k8s.io/v1alpha2': ['LeaseCandidate'],
};
