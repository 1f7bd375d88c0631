import { describe, expect, it } from '@jest/globals';
import { PolicyFixture } from '../../../../test/support/policy-fixture.js';
import type { BindingObject } from '../../../auth/authorization/rbac.schema.js';
import { ensureNamespaces } from '../../core/namespace/cluster-namespaces.js';
import type { ClusterRole } from '../role/role.schema.js';
import { AUTO_UPDATE, bootstrapMetadata } from './bootstrap-policy.js';
import { ensurePolicy, reconciledBinding, reconciledRole } from './ensure-policy.js';

const LEASES = { verbs: ['get'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
const [ROLES, BINDINGS] = ['clusterroles.rbac.authorization.k8s.io', 'clusterrolebindings.rbac.authorization.k8s.io'];
const BINDING = 'system:basic-user';

async function started(): Promise<PolicyFixture> {
  const fixture = new PolicyFixture();
  await ensureNamespaces(fixture.namespaces);
  await ensurePolicy(fixture);
  return fixture;
}

describe('ensurePolicy', () => {
  it('changes nothing the second time, and restores what was removed', async () => {
    const fixture = await started();
    const before = await fixture.clusterRole('system:basic-user');
    await fixture.remove(fixture.clusterRoleBindings, 'cluster-admin');
    await ensurePolicy(fixture);
    expect(await fixture.clusterRole('system:basic-user')).toEqual(before);
    expect(await fixture.clusterRoleBinding('cluster-admin')).toMatchObject({ roleRef: { name: 'cluster-admin' } });
  });

  it('creates everything once when replicas start at the same time', async () => {
    const fixture = new PolicyFixture();
    await ensureNamespaces(fixture.namespaces);
    await Promise.all([ensurePolicy(fixture), ensurePolicy(fixture), ensurePolicy(fixture)]);
    const role = await fixture.clusterRole('view');
    await ensurePolicy(fixture);
    expect(await fixture.clusterRole('view')).toEqual(role);
  });

  it('leaves alone a role that was recreated without auto-update while it was about to complete the previous one', async () => {
    const fixture = await started();
    const mine = { metadata: { name: 'system:basic-user', annotations: { [AUTO_UPDATE]: 'false' } }, rules: [LEASES] };
    await fixture.remove(fixture.clusterRoles, 'system:basic-user');
    await fixture.create(fixture.clusterRoles, { metadata: { name: 'system:basic-user' } });
    let judged = false;
    fixture.replicas.afterNext(
      'get',
      ROLES,
      async () => {
        judged = true;
        await fixture.remove(fixture.clusterRoles, 'system:basic-user');
        await fixture.create(fixture.clusterRoles, mine);
      },
      'system:basic-user',
    );
    await ensurePolicy(fixture);
    expect(judged).toBe(true);
    expect((await fixture.clusterRole('system:basic-user')).rules).toEqual([LEASES]);
  });

  it('does not delete a binding that another replica has recreated with the right role', async () => {
    const fixture = await started();
    const right = await fixture.clusterRoleBinding(BINDING);
    const make = (name: string) =>
      fixture.create(fixture.clusterRoleBindings, {
        metadata: { name: BINDING },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: right.subjects,
      });
    await fixture.remove(fixture.clusterRoleBindings, BINDING);
    await make('wrong');
    let others: string | undefined;
    fixture.replicas.afterNext(
      'get',
      BINDINGS,
      async () => {
        await fixture.remove(fixture.clusterRoleBindings, BINDING);
        await make('system:basic-user');
        others = (await fixture.clusterRoleBinding(BINDING)).metadata.uid;
      },
      BINDING,
    );
    await ensurePolicy(fixture);
    const now = await fixture.clusterRoleBinding(BINDING);
    expect([now.metadata.uid, now.roleRef]).toEqual([others, right.roleRef]);
  });
});

const get = { verbs: ['get'], apiGroups: [''], resources: ['a'] };
const list = { verbs: ['list'], apiGroups: [''], resources: ['a'] };
const role = (rules: ClusterRole['rules'], autoUpdate = 'true'): ClusterRole => {
  const metadata = bootstrapMetadata('r');
  return { metadata: { ...metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': autoUpdate } }, rules };
};
const binding = (roleName: string, ...users: string[]): BindingObject => ({
  metadata: bootstrapMetadata('b'),
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
  ...(users.length > 0 ? { subjects: users.map((name) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name })) } : {}),
});

describe('reconciledRole', () => {
  it('adds what is missing and keeps additions', () => {
    expect(reconciledRole(role([list]), role([get]))).toEqual({ action: 'update', object: role([list, get]) });
  });

  it('leaves a role alone if it is complete or excluded from updates', () => {
    expect(reconciledRole(role([get, list]), role([get]))).toEqual({ action: 'none' });
    expect(reconciledRole(role([], 'false'), role([get]))).toEqual({ action: 'none' });
  });

  it('removes the aggregation from a role that should have none', () => {
    const gathering = { ...role([get]), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
    expect(reconciledRole(gathering, role([get]))).toEqual({ action: 'update', object: role([get]) });
  });
});

describe('reconciledBinding', () => {
  it('adds missing subjects to the existing ones', () => {
    expect(reconciledBinding(binding('r', 'ann'), binding('r', 'ben'))).toEqual({ action: 'update', object: binding('r', 'ann', 'ben') });
    expect(reconciledBinding(binding('r', 'ann', 'ben'), binding('r', 'ben'))).toEqual({ action: 'none' });
  });

  it('recreates a binding of another role', () => {
    expect(reconciledBinding(binding('other', 'ann'), binding('r', 'ann'))).toEqual({ action: 'recreate' });
  });
});
