import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, SYSTEM_MASTERS } from '../../../auth/authentication/authenticator.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import type { BindingObject, Subject } from '../../../auth/authorization/rbac.schema.js';
import type { Role } from '../role/role.schema.js';
import { bootstrapMetadata } from './bootstrap-metadata.js';
import { READ, resourceRule } from './rule-shorthand.js';

const KUBE_SYSTEM = 'kube-system';
const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SCHEDULER = 'system:kube-scheduler';

const group = (name: string): Subject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name });
const user = (name: string): Subject => ({ kind: 'User', apiGroup: RBAC_GROUP, name });
const serviceAccount = (name: string): Subject => ({ kind: 'ServiceAccount', name, namespace: KUBE_SYSTEM });

/** A binding that grants the cluster role of its own name. */
function clusterBinding(name: string, ...subjects: Subject[]): BindingObject {
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name };
  return { metadata: bootstrapMetadata(name), ...(subjects.length > 0 ? { subjects } : {}), roleRef };
}

/** The bootstrap cluster role bindings. That of system:node is empty, since nodes have an authorizer of their own. */
export const BOOTSTRAP_CLUSTER_ROLE_BINDINGS: readonly BindingObject[] = [
  clusterBinding('cluster-admin', group(SYSTEM_MASTERS)),
  clusterBinding('system:monitoring', group('system:monitoring')),
  clusterBinding('system:discovery', group(ALL_AUTHENTICATED)),
  clusterBinding('system:basic-user', group(ALL_AUTHENTICATED)),
  clusterBinding('system:public-info-viewer', group(ALL_AUTHENTICATED), group(ALL_UNAUTHENTICATED)),
  clusterBinding(CONTROLLER_MANAGER, user(CONTROLLER_MANAGER)),
  clusterBinding(SCHEDULER, user(SCHEDULER)),
  clusterBinding('system:node'),
  clusterBinding('system:service-account-issuer-discovery', group('system:serviceaccounts')),
];

const LEADER_VERBS = [...READ, 'create', 'update'];

function leaderLocking(component: string): Role {
  return {
    metadata: bootstrapMetadata(`system::leader-locking-${component}`, {}, KUBE_SYSTEM),
    rules: [
      resourceRule(LEADER_VERBS, ['coordination.k8s.io'], ['leases']),
      resourceRule(LEADER_VERBS, ['coordination.k8s.io'], ['leasecandidates']),
    ],
  };
}

/** The bootstrap roles, in kube-system (bootstrappolicy/namespace_policy.go). */
export const BOOTSTRAP_ROLES: readonly Role[] = [
  {
    metadata: bootstrapMetadata('extension-apiserver-authentication-reader', {}, KUBE_SYSTEM),
    rules: [resourceRule(READ, [''], ['configmaps'], ['extension-apiserver-authentication'])],
  },
  leaderLocking('kube-controller-manager'),
  leaderLocking('kube-scheduler'),
];

function binding(name: string, role: string, ...subjects: Subject[]): BindingObject {
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'Role', name: role };
  return { metadata: bootstrapMetadata(name, {}, KUBE_SYSTEM), subjects, roleRef };
}

/** The bootstrap role bindings, in kube-system. */
export const BOOTSTRAP_ROLE_BINDINGS: readonly BindingObject[] = [
  binding(
    'system::extension-apiserver-authentication-reader',
    'extension-apiserver-authentication-reader',
    user(CONTROLLER_MANAGER),
    user(SCHEDULER),
  ),
  binding(
    'system::leader-locking-kube-controller-manager',
    'system::leader-locking-kube-controller-manager',
    user(CONTROLLER_MANAGER),
    serviceAccount('kube-controller-manager'),
    serviceAccount('leader-election-controller'),
  ),
  binding(
    'system::leader-locking-kube-scheduler',
    'system::leader-locking-kube-scheduler',
    user(SCHEDULER),
    serviceAccount('kube-scheduler'),
  ),
];
