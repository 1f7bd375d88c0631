import type { Identity } from './question.js';

const USERS: Readonly<Record<Exclude<Identity, 'nobody' | 'wrong'>, readonly string[]>> = {
  admin: ['system:masters'],
  editor: ['dev'],
  reader: ['ops'],
  named: [],
  deputy: [],
  agent: [],
};

/** Lines of a token file for both servers. */
export const TOKEN_LINES: readonly string[] = Object.entries(USERS).map(
  ([name, groups]) => `${tokenOf(name as Identity) ?? ''},${name},${name}-uid${groups.length === 0 ? '' : `,"${groups.join(',')}"`}`,
);

/** Undefined for the identity without a token. */
export function tokenOf(identity: Identity): string | undefined {
  if (identity === 'nobody') return undefined;
  return identity === 'wrong' ? 'no-token-at-all' : `differential-${identity}`;
}

const COORDINATION = 'coordination.k8s.io';
const EVERYTHING = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const RULES: Readonly<Record<string, readonly object[]>> = {
  editor: [
    { apiGroups: [COORDINATION], resources: ['leases', 'leasecandidates'], verbs: EVERYTHING },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: EVERYTHING },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: EVERYTHING },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
  ],
  reader: [{ apiGroups: [COORDINATION, ''], resources: ['leases', 'leasecandidates', 'namespaces'], verbs: ['get', 'list', 'watch'] }],
  named: [
    { apiGroups: [COORDINATION], resources: ['leases', 'leasecandidates'], resourceNames: ['a'], verbs: EVERYTHING },
    { apiGroups: [''], resources: ['namespaces/status'], verbs: ['get', 'update', 'patch'] },
  ],
  deputy: [
    { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'], resourceNames: ['editor', 'dev'] },
    { apiGroups: [COORDINATION], resources: ['leases'], verbs: ['get'] },
  ],
  agent: [
    {
      apiGroups: ['authentication.k8s.io'],
      resources: ['users', 'groups', 'uids'],
      verbs: ['impersonate:user-info'],
      resourceNames: ['editor', 'dev', 'u'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['serviceaccounts'], verbs: ['impersonate:serviceaccount'] },
    { apiGroups: ['authentication.k8s.io'], resources: ['nodes'], verbs: ['impersonate:arbitrary-node'], resourceNames: ['n'] },
    {
      apiGroups: [COORDINATION],
      resources: ['leases', 'leases/log'],
      verbs: [
        'impersonate-on:user-info:list',
        'impersonate-on:user-info:create',
        'impersonate-on:serviceaccount:get',
        'impersonate-on:arbitrary-node:list',
      ],
    },
  ],
};

/** The users' rights, as paths and objects to POST. */
export const POLICY: readonly (readonly [string, object])[] = Object.entries(RULES).flatMap(([user, rules]) => {
  const name = `differential-${user}`;
  const rbac = 'rbac.authorization.k8s.io';
  return [
    [`/apis/${rbac}/v1/clusterroles`, { metadata: { name }, rules }],
    [
      `/apis/${rbac}/v1/clusterrolebindings`,
      {
        metadata: { name },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
        subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
      },
    ],
  ] as const;
});
