import type { ObjectMeta } from '../../../apimachinery/meta/object-meta.schema.js';
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, SYSTEM_MASTERS } from '../../../auth/authentication/authenticator.js';
import type { BindingObject, PolicyRule, Subject } from '../../../auth/authorization/rbac.schema.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import type { ClusterRole, Role } from '../role/role.schema.js';

/** An annotation of bootstrap objects: with `false`, the server does not update the object at start. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** Name, namespace, label and annotation of a bootstrap object. */
export function bootstrapMetadata(name: string, labels: Readonly<Record<string, string>> = {}, namespace?: string): ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [AUTO_UPDATE]: 'true' },
  };
}

const READ: readonly string[] = ['get', 'list', 'watch'];
const WRITE: readonly string[] = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const READ_WRITE: readonly string[] = [...READ, ...WRITE];

/** A rule as upstream's builder stores it, with every list sorted. */
function resourceRule(
  verbs: readonly string[],
  groups: readonly string[],
  resources: readonly string[],
  names: readonly string[] = [],
): PolicyRule {
  return {
    verbs: [...verbs].sort(),
    apiGroups: [...groups].sort(),
    resources: [...resources].sort(),
    ...(names.length > 0 ? { resourceNames: [...names].sort() } : {}),
  };
}

function pathRule(verbs: readonly string[], paths: readonly string[]): PolicyRule {
  return { verbs: [...verbs].sort(), nonResourceURLs: [...paths].sort() };
}

const CORE = '';
const COORDINATION = 'coordination.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';
const RBAC = 'rbac.authorization.k8s.io';
const EVENTS = [CORE, 'events.k8s.io'];

const HEALTH = ['/livez', '/readyz', '/healthz'];
const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-';

/** A role that aggregates the roles with this label. */
function gathering(name: string, label: string, labels: Readonly<Record<string, string>> = {}): ClusterRole {
  return {
    metadata: bootstrapMetadata(name, labels),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [AGGREGATE + label]: 'true' } }] },
  };
}

function role(name: string, rules: ClusterRole['rules'], labels: Readonly<Record<string, string>> = {}): ClusterRole {
  return { metadata: bootstrapMetadata(name, labels), rules };
}

const eventsRule = resourceRule(['create', 'update', 'patch'], EVENTS, ['events']);
const delegatesRules = [
  resourceRule(['create'], [AUTHENTICATION], ['tokenreviews']),
  resourceRule(['create'], [AUTHORIZATION], ['subjectaccessreviews']),
];

/** General roles: authenticated users may discover the API and review their own rights, and cluster-admin may do everything. */
const GENERAL: readonly ClusterRole[] = [
  role('cluster-admin', [resourceRule(['*'], ['*'], ['*']), pathRule(['*'], ['*'])]),
  role('system:discovery', [
    pathRule(['get'], [...HEALTH, '/version', '/version/', '/openapi', '/openapi/*', '/api', '/api/*', '/apis', '/apis/*']),
  ]),
  role('system:monitoring', [
    pathRule(['get'], ['/metrics', '/metrics/slis', ...HEALTH, ...HEALTH.map((path) => `${path}/*`), '/flagz', '/statusz']),
    resourceRule(['get'], [CORE], ['nodes/metrics']),
  ]),
  role('system:basic-user', [
    resourceRule(['create'], [AUTHORIZATION], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']),
    resourceRule(['create'], [AUTHENTICATION], ['selfsubjectreviews']),
  ]),
  role('system:public-info-viewer', [pathRule(['get'], [...HEALTH, '/version', '/version/'])]),
  role('system:auth-delegator', delegatesRules),
  role('system:service-account-issuer-discovery', [
    pathRule(['get'], ['/.well-known/openid-configuration', '/.well-known/openid-configuration/', '/openid/v1/jwks', '/openid/v1/jwks/']),
  ]),
];

/** Roles for people in a namespace: edit includes view, and admin includes edit. */
const FOR_PEOPLE: readonly ClusterRole[] = [
  gathering('admin', 'admin'),
  gathering('edit', 'edit', { [`${AGGREGATE}admin`]: 'true' }),
  gathering('view', 'view', { [`${AGGREGATE}edit`]: 'true' }),
  role(
    'system:aggregate-to-admin',
    [resourceRule(['create'], [AUTHORIZATION], ['localsubjectaccessreviews']), resourceRule(READ_WRITE, [RBAC], ['roles', 'rolebindings'])],
    { [`${AGGREGATE}admin`]: 'true' },
  ),
  role(
    'system:aggregate-to-edit',
    [
      resourceRule(['impersonate'], [CORE], ['serviceaccounts']),
      resourceRule(WRITE, [CORE], ['serviceaccounts']),
      resourceRule(['create'], [CORE], ['serviceaccounts/token']),
      resourceRule(WRITE, EVENTS, ['events']),
      resourceRule(READ_WRITE, [COORDINATION], ['leases']),
    ],
    { [`${AGGREGATE}edit`]: 'true' },
  ),
  role(
    'system:aggregate-to-view',
    [
      resourceRule(READ, [CORE], ['serviceaccounts']),
      resourceRule(READ, [CORE], ['namespaces/status']),
      resourceRule(READ, [CORE], ['namespaces']),
      resourceRule(READ, EVENTS, ['events']),
    ],
    { [`${AGGREGATE}view`]: 'true' },
  ),
];

/** Roles for the components of a cluster. */
const FOR_COMPONENTS: readonly ClusterRole[] = [
  role('system:node', [
    resourceRule(['create'], [AUTHENTICATION], ['tokenreviews']),
    resourceRule(['create'], [AUTHORIZATION], ['subjectaccessreviews', 'localsubjectaccessreviews']),
    eventsRule,
    resourceRule(['get', 'create', 'update', 'patch', 'delete'], [COORDINATION], ['leases']),
    resourceRule(['create'], [CORE], ['serviceaccounts/token']),
    resourceRule(['get'], [CORE], ['serviceaccounts']),
  ]),
  role('system:kube-controller-manager', [
    eventsRule,
    resourceRule(['create'], [COORDINATION], ['leases']),
    resourceRule(['get', 'update'], [COORDINATION], ['leases'], ['kube-controller-manager']),
    resourceRule(['create'], [CORE], ['serviceaccounts']),
    resourceRule(['get'], [CORE], ['namespaces', 'serviceaccounts']),
    resourceRule(['update'], [CORE], ['serviceaccounts']),
    ...delegatesRules,
    resourceRule(['list', 'watch'], ['*'], ['*']),
    resourceRule(['create'], [CORE], ['serviceaccounts/token']),
  ]),
  role('system:kube-scheduler', [
    eventsRule,
    resourceRule(['create'], [COORDINATION], ['leases']),
    resourceRule(['get', 'update', 'list', 'watch'], [COORDINATION], ['leases'], ['kube-scheduler']),
    resourceRule(READ_WRITE, [COORDINATION], ['leasecandidates']),
    ...delegatesRules,
    resourceRule(READ, [CORE], ['namespaces']),
  ]),
];

/** For a server that serves the group history.coordination-apiserver.dev, which the original lacks. */
export const HISTORY_CLUSTER_ROLE: ClusterRole = role(
  'system:aggregate-history-to-view',
  [resourceRule(READ, ['history.coordination-apiserver.dev'], ['leaseterms'])],
  { [`${AGGREGATE}view`]: 'true' },
);

/**
 * The bootstrap cluster roles, limited to what this server serves (kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go):
 * rules on resources of other APIs are left out.
 */
export const BOOTSTRAP_CLUSTER_ROLES: readonly ClusterRole[] = [...GENERAL, ...FOR_PEOPLE, ...FOR_COMPONENTS];

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
