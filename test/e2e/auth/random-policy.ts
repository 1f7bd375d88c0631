import type { Random } from '../../fuzz/random.js';
import type { Binding, Policy, Role, Rule } from './reference-evaluation.js';

const GROUPS = [
  '',
  '*',
  'coordination.k8s.io',
  'rbac.authorization.k8s.io',
  'events.k8s.io',
  'authorization.k8s.io',
  'unknown.example.com',
];
const RESOURCES = [
  '*',
  'leases',
  'namespaces',
  'events',
  'roles',
  'leases/status',
  'namespaces/status',
  '*/status',
  'leases/*',
  'unknowns',
];
const VERBS = ['*', 'get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'post'];
const NAMES = ['one', 'two', 'three'];
const PATHS = ['*', '/', '/api*', '/apis/*', '/version', '/nope/*', '/nope', '/healthz'];
const NAMESPACES = ['', 'team-a', 'team-b', 'team-c'];
const SUBJECTS = [
  ...['ann', 'ben', 'alice', 'Ann', 'system:anonymous', 'crew', 'system:serviceaccount:team-a:robot'].map((name) => ({
    kind: 'User',
    name,
  })),
  ...['crew', 'dev', 'system:authenticated', 'system:unauthenticated', 'system:serviceaccounts', 'system:serviceaccounts:team-b'].map(
    (name) => ({ kind: 'Group', name }),
  ),
  { kind: 'ServiceAccount', name: 'robot' },
  { kind: 'ServiceAccount', name: 'robot', namespace: 'team-a' },
  { kind: 'ServiceAccount', name: 'lost', namespace: 'team-c' },
];

/** Roles and bindings of every shape; some bindings have no role. */
export function randomPolicy(random: Random): Policy {
  const some = (values: readonly string[]): string[] => Array.from({ length: 1 + random.below(2) }, () => random.pick(values));
  const rule = (): Rule => {
    if (random.chance(0.2)) return { verbs: some(VERBS), nonResourceURLs: some(PATHS) };
    const names = random.chance(0.3) ? { resourceNames: some(NAMES) } : {};
    return { verbs: some(VERBS), apiGroups: some(GROUPS), resources: some(RESOURCES), ...names };
  };
  const roles: Role[] = NAMESPACES.flatMap((namespace) =>
    ['r0', 'r1', 'r2'].map((name) => ({ namespace, name, rules: Array.from({ length: random.below(3) }, rule) })),
  );
  const bindings: Binding[] = Array.from({ length: 8 }, (_, at) => {
    const namespace = random.pick(NAMESPACES);
    const kind = namespace === '' || random.chance(0.5) ? 'ClusterRole' : 'Role';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: `r${random.below(4)}` };
    return { namespace, name: `b${at}`, subjects: Array.from({ length: 1 + random.below(2) }, () => random.pick(SUBJECTS)), roleRef };
  });
  return { roles, bindings };
}
