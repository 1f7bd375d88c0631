/**
 * RBAC as documented, written as plainly as possible and sharing no code with the server: it tries all rules of all bindings one after
 * the other.
 */
export type Wanted =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

export interface Rule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface Role {
  /** '' for a ClusterRole. */
  namespace: string;
  name: string;
  rules: Rule[];
}

export interface Binding {
  namespace: string;
  name: string;
  subjects: { kind: string; name: string; namespace?: string }[];
  roleRef: { apiGroup: string; kind: string; name: string };
}

export interface Policy {
  readonly roles: readonly Role[];
  readonly bindings: readonly Binding[];
}

const ROLES: readonly Role[] = [
  { namespace: 'team-a', name: 'readers', rules: [{ verbs: ['get', 'list'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }] },
  {
    namespace: 'team-a',
    name: 'one-only',
    rules: [
      {
        verbs: ['get', 'list', 'update', 'delete', 'deletecollection', 'create'],
        apiGroups: ['*'],
        resources: ['leases', 'events'],
        resourceNames: ['one'],
      },
    ],
  },
  {
    namespace: 'team-b',
    name: 'status',
    rules: [{ verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['*/status', 'leases/scale'] }],
  },
  { namespace: '', name: 'watchers', rules: [{ verbs: ['watch'], apiGroups: ['', 'coordination.k8s.io'], resources: ['*'] }] },
  { namespace: '', name: 'all-of-rbac', rules: [{ verbs: ['*'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'] }] },
  {
    namespace: '',
    name: 'namespace-one',
    rules: [{ verbs: ['get', 'patch'], apiGroups: [''], resources: ['namespaces', 'namespaces/status'], resourceNames: ['one'] }],
  },
  {
    namespace: '',
    name: 'paths',
    rules: [
      { verbs: ['get'], nonResourceURLs: ['/version', '/apis*'] },
      { verbs: ['*'], nonResourceURLs: ['/nope/*'] },
    ],
  },
  {
    namespace: '',
    name: 'askers',
    rules: [{ verbs: ['create'], apiGroups: ['authentication.k8s.io', 'authorization.k8s.io'], resources: ['*'] }],
  },
  { namespace: '', name: 'everything', rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] },
];

const ref = (kind: string, name: string): Binding['roleRef'] => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });

const BINDINGS: readonly Binding[] = [
  { namespace: 'team-a', name: 'b1', subjects: [{ kind: 'User', name: 'ann' }], roleRef: ref('Role', 'readers') },
  {
    namespace: 'team-a',
    name: 'b2',
    subjects: [
      { kind: 'Group', name: 'crew' },
      { kind: 'User', name: 'ben' },
    ],
    roleRef: ref('Role', 'one-only'),
  },
  { namespace: 'team-b', name: 'b3', subjects: [{ kind: 'ServiceAccount', name: 'robot' }], roleRef: ref('Role', 'status') },
  {
    namespace: 'team-b',
    name: 'b4',
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'team-a' }],
    roleRef: ref('ClusterRole', 'everything'),
  },
  { namespace: 'team-b', name: 'b5', subjects: [{ kind: 'User', name: 'ann' }], roleRef: ref('ClusterRole', 'all-of-rbac') },
  { namespace: 'team-b', name: 'dangling', subjects: [{ kind: 'User', name: 'ann' }], roleRef: ref('Role', 'missing') },
  { namespace: '', name: 'c1', subjects: [{ kind: 'Group', name: 'crew' }], roleRef: ref('ClusterRole', 'watchers') },
  { namespace: '', name: 'c2', subjects: [{ kind: 'User', name: 'ben' }], roleRef: ref('ClusterRole', 'namespace-one') },
  { namespace: '', name: 'c3', subjects: [{ kind: 'Group', name: 'system:authenticated' }], roleRef: ref('ClusterRole', 'askers') },
  {
    namespace: '',
    name: 'c4',
    subjects: [
      { kind: 'User', name: 'system:anonymous' },
      { kind: 'User', name: 'ann' },
    ],
    roleRef: ref('ClusterRole', 'paths'),
  },
  { namespace: '', name: 'c5', subjects: [{ kind: 'ServiceAccount', name: 'lost' }], roleRef: ref('ClusterRole', 'everything') },
];

/** Chosen by hand: one example of everything that can go wrong. */
export const CHOSEN: Policy = { roles: ROLES, bindings: BINDINGS };

export interface ReferenceUser {
  readonly name: string;
  readonly groups: readonly string[];
}

interface ReferenceSubject {
  readonly title: string;
  readonly headers: Record<string, string | string[]>;
  readonly user: ReferenceUser;
}

const admin = { authorization: 'Bearer admin-token' };

function impersonated(title: string, name: string, groups: string[] = []): ReferenceSubject {
  const headers = { ...admin, 'impersonate-user': name, ...(groups.length > 0 ? { 'impersonate-group': groups } : {}) };
  return { title, headers, user: { name, groups: [...groups, 'system:authenticated'] } };
}

function serviceAccount(title: string, namespace: string, name: string): ReferenceSubject {
  const subject = impersonated(title, `system:serviceaccount:${namespace}:${name}`);
  const own = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { ...subject, user: { ...subject.user, groups: [...own, ...subject.user.groups] } };
}

export const SUBJECTS: readonly ReferenceSubject[] = [
  { title: 'a member of system:masters', headers: admin, user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] } },
  {
    title: 'a user from the token file without a role',
    headers: { authorization: 'Bearer alice-token' },
    user: { name: 'alice', groups: ['dev', 'system:authenticated'] },
  },
  { title: 'nobody', headers: {}, user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } },
  impersonated('a user with roles', 'ann'),
  impersonated('a user with a named object', 'ben'),
  impersonated('a member of a group', 'cy', ['crew']),
  impersonated('a user and member', 'ben', ['crew', 'other']),
  impersonated('a user whose name differs in case', 'Ann'),
  impersonated('a user named like a group', 'crew'),
  serviceAccount('a service account of the namespace', 'team-b', 'robot'),
  serviceAccount('a service account of another namespace', 'team-a', 'robot'),
  serviceAccount('a service account of no binding', 'team-c', 'lost'),
];

export function referenceAllows({ roles, bindings }: Policy, user: ReferenceUser, wanted: Wanted): boolean {
  if (user.groups.includes('system:masters')) return true;
  for (const binding of bindings) {
    if (binding.namespace !== '' && (wanted.kind === 'path' || wanted.namespace !== binding.namespace)) continue;
    if (!binding.subjects.some((subject) => isSubject(user, subject, binding.namespace))) continue;
    const home = binding.roleRef.kind === 'ClusterRole' ? '' : binding.namespace;
    const role = roles.find(({ name, namespace }) => name === binding.roleRef.name && namespace === home);
    for (const rule of role?.rules ?? []) if (allows(rule, wanted)) return true;
  }
  return false;
}

function isSubject(user: ReferenceUser, subject: Binding['subjects'][number], home: string): boolean {
  if (subject.kind === 'User') return user.name === subject.name;
  if (subject.kind === 'Group') return user.groups.some((group) => group === subject.name);
  const namespace = subject.namespace ?? home;
  return namespace !== '' && user.name === `system:serviceaccount:${namespace}:${subject.name}`;
}

function allows(rule: Rule, wanted: Wanted): boolean {
  const has = (list: string[] | undefined, value: string): boolean => (list ?? []).some((each) => each === '*' || each === value);
  if (!has(rule.verbs, wanted.verb)) return false;
  if (wanted.kind === 'path') {
    return (rule.nonResourceURLs ?? []).some((url) => (url.endsWith('*') ? wanted.path.startsWith(url.slice(0, -1)) : wanted.path === url));
  }
  const resource = wanted.subresource === '' ? wanted.resource : `${wanted.resource}/${wanted.subresource}`;
  const anySub = wanted.subresource !== '' && (rule.resources ?? []).includes(`*/${wanted.subresource}`);
  if (!has(rule.apiGroups, wanted.group) || !(has(rule.resources, resource) || anySub)) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.some((name) => name === wanted.name);
}
