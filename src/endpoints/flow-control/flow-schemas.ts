import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, NODES, SYSTEM_MASTERS } from '../../auth/authentication/authenticator.js';
import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.js';
import type { UserInfo } from '../../registry/resource/request-context.js';

/** Which requests belong to which level, and how they are divided into flows (upstream: FlowSchema). */
export interface FlowSchemaSpec {
  readonly name: string;
  readonly level: string;
  /** What its flows are distinguished by; if absent, all of its requests form one flow. */
  readonly distinguisher?: 'user' | 'namespace';
  matches(user: UserInfo, attributes: AuthorizationAttributes): boolean;
}

const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SCHEDULER = 'system:kube-scheduler';
const SERVICE_ACCOUNTS = 'system:serviceaccounts';
const KUBE_SYSTEM_ACCOUNTS = 'system:serviceaccount:kube-system:';
const PROBES = ['/healthz', '/livez', '/readyz'];
const HOLDER_VERBS = new Set(['get', 'create', 'update', 'patch']);
const HOLDER_RESOURCES = new Set(['leases', 'leasecandidates']);

/**
 * The schemas of upstream's bootstrap configuration by precedence (apiserver apis/flowcontrol/bootstrap/default.go), plus one of this
 * project: requests for a single lease, by any user, precede lists and all other requests of ordinary users.
 */
export const FLOW_SCHEMAS: readonly FlowSchemaSpec[] = [
  { name: 'exempt', level: 'exempt', matches: ({ groups }) => groups.includes(SYSTEM_MASTERS) },
  { name: 'probes', level: 'exempt', matches: (user, attributes) => isAnybody(user) && isProbe(attributes) },
  {
    name: 'system-leader-election',
    level: 'leader-election',
    distinguisher: 'user',
    matches: ({ name }, attributes) =>
      (name === CONTROLLER_MANAGER || name === SCHEDULER || name.startsWith(KUBE_SYSTEM_ACCOUNTS)) &&
      isLease(attributes) &&
      (attributes.verb === 'get' || attributes.verb === 'create' || attributes.verb === 'update'),
  },
  {
    name: 'system-node-high',
    level: 'node-high',
    distinguisher: 'user',
    matches: ({ groups }, attributes) => groups.includes(NODES) && (isLease(attributes) || isNode(attributes)),
  },
  { name: 'system-nodes', level: 'system', distinguisher: 'user', matches: ({ groups }) => groups.includes(NODES) },
  {
    name: 'kube-controller-manager',
    level: 'workload-high',
    distinguisher: 'namespace',
    matches: ({ name }) => name === CONTROLLER_MANAGER,
  },
  { name: 'kube-scheduler', level: 'workload-high', distinguisher: 'namespace', matches: ({ name }) => name === SCHEDULER },
  {
    name: 'kube-system-service-accounts',
    level: 'workload-high',
    distinguisher: 'namespace',
    matches: ({ name }) => name.startsWith(KUBE_SYSTEM_ACCOUNTS),
  },
  {
    name: 'lease-holders',
    level: 'leader-election',
    distinguisher: 'user',
    matches: ({ groups }, attributes) => isOfHolder(attributes) && groups.includes(ALL_AUTHENTICATED),
  },
  { name: 'service-accounts', level: 'workload-low', distinguisher: 'user', matches: ({ groups }) => groups.includes(SERVICE_ACCOUNTS) },
  { name: 'global-default', level: 'global-default', distinguisher: 'user', matches: isAnybody },
  { name: 'catch-all', level: 'catch-all', distinguisher: 'user', matches: () => true },
];

function isAnybody({ groups }: UserInfo): boolean {
  return groups.includes(ALL_AUTHENTICATED) || groups.includes(ALL_UNAUTHENTICATED);
}

function isProbe({ isResourceRequest, verb, path }: AuthorizationAttributes): boolean {
  return !isResourceRequest && verb === 'get' && PROBES.some((probe) => path === probe || path.startsWith(`${probe}/`));
}

function isLease({ resource, subresource, apiGroup, namespace }: AuthorizationAttributes): boolean {
  return resource === 'leases' && subresource === '' && apiGroup === 'coordination.k8s.io' && namespace !== '';
}

function isNode({ resource, subresource, apiGroup }: AuthorizationAttributes): boolean {
  return resource === 'nodes' && apiGroup === '' && (subresource === '' || subresource === 'status');
}

function isOfHolder({ verb, resource, subresource, apiGroup, namespace }: AuthorizationAttributes): boolean {
  if (!HOLDER_VERBS.has(verb) || apiGroup !== 'coordination.k8s.io') return false;
  return HOLDER_RESOURCES.has(resource) && subresource === '' && namespace !== '';
}
