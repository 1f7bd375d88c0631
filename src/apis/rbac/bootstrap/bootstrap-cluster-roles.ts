import type { ClusterRole } from '../role/role.schema.js';
import { bootstrapMetadata } from './bootstrap-metadata.js';
import { pathRule, READ, READ_WRITE, resourceRule, WRITE } from './rule-shorthand.js';

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
