import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../../src/apimachinery/errors/api-error.js';
import { PolicyIndex } from '../../../src/auth/authorization/rbac/policy-index.js';
import type { PolicyRule } from '../../../src/auth/authorization/rbac.schema.js';
import { RbacAuthorizer } from '../../../src/auth/authorization/rbac/rbac-authorizer.js';
import { Impersonator } from '../../../src/auth/impersonation/impersonator.js';
import type { UserInfo } from '../../../src/registry/resource/request-context.js';

const impersonate = (apiGroup: string, resource: string, name: string): PolicyRule => ({
  verbs: ['impersonate'],
  apiGroups: [apiGroup],
  resources: [resource],
  resourceNames: [name],
});

const RIGHTS: Readonly<Record<string, PolicyRule>> = {
  user: impersonate('', 'users', 'zoe'),
  group: impersonate('', 'groups', 'crew'),
  uid: impersonate('authentication.k8s.io', 'uids', 'u7'),
  extra: impersonate('authentication.k8s.io', 'userextras/scopes', 'view'),
  account: impersonate('', 'serviceaccounts', 'robot'),
};

const zoe: UserInfo = { name: 'zoe', uid: '', groups: [], extra: {} };
const WANTED: readonly (readonly [UserInfo, readonly string[] | undefined])[] = [
  [zoe, ['user']],
  [{ ...zoe, groups: ['crew'] }, ['user', 'group']],
  [{ ...zoe, uid: 'u7' }, ['user', 'uid']],
  [{ ...zoe, extra: { scopes: ['view'] } }, ['user', 'extra']],
  [{ name: 'zoe', uid: 'u7', groups: ['crew'], extra: { scopes: ['view'] } }, ['user', 'uid', 'group', 'extra']],
  [{ ...zoe, name: 'system:serviceaccount:ns:robot' }, ['account']],
  [{ ...zoe, name: 'system:serviceaccount:ns:robot', groups: ['crew'] }, ['account', 'group']],
  [{ ...zoe, name: 'other' }, undefined],
  [{ ...zoe, groups: ['crew', 'system:masters'] }, undefined],
  [{ ...zoe, extra: { scopes: ['view', 'edit'] } }, undefined],
  [{ ...zoe, extra: { other: ['view'] } }, undefined],
  [{ ...zoe, name: 'system:serviceaccount:other:robot' }, undefined],
];

const REQUEST = {
  isResourceRequest: true,
  verb: 'get',
  apiGroup: 'coordination.k8s.io',
  apiVersion: 'v1',
  namespace: 'ns',
  resource: 'leases',
  subresource: '',
  name: 'x',
  path: '',
};

/** All subsets of the rights. */
const subsets = Object.keys(RIGHTS).reduce<string[][]>((sets, right) => sets.flatMap((set) => [set, [...set, right]]), [[]]);

describe('impersonation', () => {
  it.each(subsets.map((set) => [set.join(' and ') || 'none', set] as const))(
    'with the rights %s grants exactly what each part needs',
    async (_title, set) => {
      const index = new PolicyIndex();
      // rights on service accounts apply within their namespace
      const everywhere = set.filter((right) => right !== 'account');
      index.setRole(
        '',
        'r',
        everywhere.flatMap((right) => RIGHTS[right] ?? []),
      );
      index.setRole('ns', 'r', set.includes('account') && RIGHTS['account'] ? [RIGHTS['account']] : []);
      const subjects = [{ kind: 'User', name: 'bob' }];
      const ref = { apiGroup: 'rbac.authorization.k8s.io', name: 'r' };
      index.setBinding({ namespace: '', name: 'b', subjects, roleRef: { ...ref, kind: 'ClusterRole' } });
      index.setBinding({ namespace: 'ns', name: 'b', subjects, roleRef: { ...ref, kind: 'Role' } });
      const impersonator = new Impersonator(new RbacAuthorizer(index));
      for (const [wanted, needed] of WANTED) {
        const answer = impersonator.impersonate({ name: 'bob', uid: '', groups: [], extra: {} }, wanted, REQUEST);
        const allowed = await answer.then(
          ({ user }) => user.name === wanted.name,
          (error: unknown) => error instanceof ApiError && error.code === 403 && false,
        );
        expect([wanted, allowed]).toEqual([wanted, needed !== undefined && needed.every((right) => set.includes(right))]);
      }
    },
  );
});
