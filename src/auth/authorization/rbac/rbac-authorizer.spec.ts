import type { UserInfo } from '../../../registry/resource/request-context.js';
import type { AuthorizationAttributes } from '../authorizer.js';
import type { PolicyRule, Subject } from '../rbac.schema.js';
import { PolicyIndex } from './policy-index.js';
import { RbacAuthorizer } from './rbac-authorizer.js';

const LEASES: PolicyRule = { verbs: ['get'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
const ANN: Subject = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' };

function user(name: string, ...groups: string[]): UserInfo {
  return { name, uid: '', groups, extra: {} };
}

function getLease(namespace = 'ns'): AuthorizationAttributes {
  const rest = { apiVersion: 'v1', subresource: '', name: 'x', path: '' };
  return { isResourceRequest: true, verb: 'get', apiGroup: 'coordination.k8s.io', resource: 'leases', namespace, ...rest };
}

class Fixture {
  readonly index = new PolicyIndex();
  readonly authorizer = new RbacAuthorizer(this.index);

  bind(subjects: Subject[], { kind = 'Role', role = 'r', namespace = 'ns', name = 'b' } = {}): this {
    this.index.setBinding({ namespace, name, subjects, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role } });
    return this;
  }

  withRole(namespace = 'ns', rules: PolicyRule[] = [LEASES]): this {
    this.index.setRole(namespace, 'r', rules);
    return this;
  }
}

describe('RbacAuthorizer', () => {
  it('allows what a role in the namespace allows, and names the binding', () => {
    const { authorizer } = new Fixture().withRole().bind([{ kind: 'Group', name: 'crew' }, ANN]);
    expect(authorizer.authorize(user('ann'), getLease())).toMatchObject({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b/ns" of Role "r" to User "ann"',
    });
    expect(authorizer.authorize(user('ann', 'crew'), getLease()).reason).toContain('to Group "crew"');
    expect(authorizer.authorize(user('ann'), getLease('other')).allowed).toBe(false);
    expect(authorizer.authorize(user('ben'), getLease()).allowed).toBe(false);
  });

  it('limits a cluster role granted by a role binding to its namespace', () => {
    const { authorizer } = new Fixture().withRole('').bind([ANN], { kind: 'ClusterRole' });
    expect(authorizer.authorize(user('ann'), getLease()).allowed).toBe(true);
    expect(authorizer.authorize(user('ann'), getLease('')).allowed).toBe(false);
  });

  it('grants paths through a cluster role binding but not through a role binding', () => {
    const rules = [{ verbs: ['get'], nonResourceURLs: ['/x/*'] }];
    const path: AuthorizationAttributes = { ...getLease(''), isResourceRequest: false, path: '/x/y' };
    const everywhere = new Fixture().withRole('', rules).bind([ANN], { kind: 'ClusterRole', namespace: '' });
    expect(everywhere.authorizer.authorize(user('ann'), path).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "ann"',
    );
    const somewhere = new Fixture().withRole('', rules).bind([ANN], { kind: 'ClusterRole' });
    expect(somewhere.authorizer.authorize(user('ann'), { ...path, namespace: 'ns' }).allowed).toBe(false);
  });

  it("matches service accounts by namespace and name; the namespace defaults to the binding's", () => {
    const { authorizer } = new Fixture().withRole().bind([{ kind: 'ServiceAccount', name: 'robot' }]);
    expect(authorizer.authorize(user('system:serviceaccount:ns:robot'), getLease()).reason).toContain('to ServiceAccount "robot/ns"');
    expect(authorizer.authorize(user('system:serviceaccount:other:robot'), getLease()).allowed).toBe(false);
  });

  it('names each missing role once when it refuses', () => {
    const one = new Fixture().bind([ANN, { kind: 'Group', name: 'crew' }]);
    expect(one.authorizer.authorize(user('ann', 'crew'), getLease()).reason).toBe('RBAC: role.rbac.authorization.k8s.io "r" not found');
    const two = one.bind([ANN], { kind: 'ClusterRole', role: 'c', name: 'b2' });
    expect(two.authorizer.authorize(user('ann'), getLease()).reason).toBe(
      'RBAC: [role.rbac.authorization.k8s.io "r" not found, clusterrole.rbac.authorization.k8s.io "c" not found]',
    );
    expect(two.withRole().authorizer.authorize(user('ann'), getLease()).allowed).toBe(true);
  });

  it('forgets replaced and deleted bindings and roles', () => {
    const fixture = new Fixture().withRole().bind([ANN]);
    fixture.bind([{ kind: 'User', name: 'ben' }]);
    expect(fixture.authorizer.authorize(user('ann'), getLease()).allowed).toBe(false);
    expect(fixture.authorizer.authorize(user('ben'), getLease()).allowed).toBe(true);
    fixture.index.deleteRole('ns', 'r');
    expect(fixture.authorizer.authorize(user('ben'), getLease()).allowed).toBe(false);
    fixture.withRole().index.deleteBinding('ns', 'b');
    expect(fixture.authorizer.authorize(user('ben'), getLease())).toEqual({ allowed: false });
  });

  it('caches a grant for identical requests of the same user only', () => {
    const { authorizer, index } = new Fixture().withRole().bind([ANN]);
    const ann = user('ann');
    const other = { ...getLease(), name: 'y' };
    expect(authorizer.authorize(ann, getLease())).toBe(authorizer.authorize(ann, other));
    const different = [{ verb: 'update' }, { apiGroup: '' }, { resource: 'pods' }, { subresource: 'status' }, { namespace: 'other' }];
    for (const change of different) expect(authorizer.authorize(ann, { ...getLease(), ...change }).allowed).toBe(false);
    expect(authorizer.authorize(ann, { ...getLease(), resource: 'leases/ns', namespace: '' }).allowed).toBe(false);
    expect(authorizer.authorize(user('ann', 'x'), getLease()).allowed).toBe(true);
    index.deleteBinding('ns', 'b');
    expect(authorizer.authorize(ann, getLease()).allowed).toBe(false);
  });

  it('does not apply a grant for one name to another name', () => {
    const { authorizer, index } = new Fixture().withRole('ns', [{ ...LEASES, resourceNames: ['x'] }]).bind([ANN]);
    const ann = user('ann');
    const other = { ...getLease(), name: 'y' };
    expect(authorizer.authorize(ann, getLease()).allowed).toBe(true);
    expect(authorizer.authorize(ann, other).allowed).toBe(false);
    index.setRole('ns', 'r', [{ ...LEASES, resourceNames: ['x'] }, LEASES]);
    expect(authorizer.authorize(ann, other).allowed).toBe(true);
    index.setRole('ns', 'r', [{ ...LEASES, resourceNames: ['x'] }]);
    expect(authorizer.authorize(ann, other).allowed).toBe(false);
  });

  it('lists the rules of a binding once, even if several subjects match the user', () => {
    const { authorizer } = new Fixture().withRole().bind([ANN, { kind: 'Group', name: 'crew' }]);
    expect(authorizer.rulesFor(user('ann', 'crew'), 'ns')).toEqual({ rules: [LEASES], incomplete: false });
  });
});
