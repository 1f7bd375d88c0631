import { groupVersion } from '../apimachinery/schema/group-resource.js';
import type { ResourceDefinition } from './resource/resource-definition.js';

const ACCESS_REVIEWS = ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'];
const RBAC_KINDS = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

/** The kinds of the core group, and those without a group, which count as v1 of core. */
const CORE_KINDS = [
  ...['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'List', 'Status'],
  ...['Binding', 'ComponentStatus', 'ConfigMap', 'Endpoints', 'Event', 'LimitRange', 'Namespace', 'Node', 'PersistentVolume'],
  ...['PersistentVolumeClaim', 'Pod', 'PodTemplate', 'ReplicationController', 'ResourceQuota', 'Secret', 'Service', 'ServiceAccount'],
];

/** The kinds in upstream's scheme for the groups of this server, and for groups that clients mistake for them, whether served or not. */
const UPSTREAM: Readonly<Record<string, readonly string[]>> = {
  v1: CORE_KINDS,
  'apps/v1': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'batch/v1': ['CronJob', 'Job'],
  'events.k8s.io/v1': ['Event'],
  'events.k8s.io/v1beta1': ['Event'],
  'authentication.k8s.io/v1': ['SelfSubjectReview', 'TokenRequest', 'TokenReview'],
  'authentication.k8s.io/v1beta1': ['SelfSubjectReview', 'TokenReview'],
  'authentication.k8s.io/v1alpha1': ['SelfSubjectReview'],
  'authorization.k8s.io/v1': ACCESS_REVIEWS,
  'authorization.k8s.io/v1beta1': ACCESS_REVIEWS,
  'rbac.authorization.k8s.io/v1': RBAC_KINDS,
  'rbac.authorization.k8s.io/v1beta1': RBAC_KINDS,
  'rbac.authorization.k8s.io/v1alpha1': RBAC_KINDS,
  'coordination.k8s.io/v1': ['Lease'],
  'coordination.k8s.io/v1beta1': ['Lease', 'LeaseCandidate'],
  'coordination.k8s.io/v1alpha2': ['LeaseCandidate'],
};

/**
 * The known kinds by group version: those in upstream's scheme and those that are served. A body of another known kind or version gets a
 * different error than one of an unknown kind. Lists and option kinds are not included.
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
