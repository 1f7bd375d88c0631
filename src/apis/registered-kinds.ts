import { groupVersion } from '../apimachinery/schema/group-resource.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** The kinds that upstream's scheme knows in the groups of this server, served or not. */
const UPSTREAM: Readonly<Record<string, readonly string[]>> = {
  v1: ['Namespace'],
  'coordination.k8s.io/v1': ['Lease'],
  'coordination.k8s.io/v1beta1': ['Lease', 'LeaseCandidate'],
  'coordination.k8s.io/v1alpha2': ['LeaseCandidate'],
};

/**
 * The kinds by group version that are known, as upstream knows them or because they are served: a body of another known kind or
 * version is refused in other words than one of an unknown kind. Lists and option kinds belong to each by themselves.
 */
export function registeredKinds(served: readonly ResourceDefinition[]): Readonly<Record<string, readonly string[]>> {
  const kinds: Record<string, readonly string[]> = { ...UPSTREAM };
  for (const { group, kind, versions } of served) {
    for (const { name } of versions) {
      const key = groupVersion(group, name);
      kinds[key] = [...new Set([...(kinds[key] ?? []), kind])];
    }
  }
  return kinds;
}
