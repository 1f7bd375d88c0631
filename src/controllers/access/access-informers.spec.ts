import { afterEach, describe, expect, it } from '@jest/globals';
import { settle } from '../../../test/support/manual-scheduler.js';
import { PolicyFixture } from '../../../test/support/policy-fixture.js';
import { ensureNamespaces } from '../../apis/core/namespace/cluster-namespaces.js';
import { ensurePolicy } from '../../apis/rbac/bootstrap/ensure-policy.js';

const LEASES = { verbs: ['get'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] };

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function started(): Promise<PolicyFixture> {
  const fixture = new PolicyFixture();
  await ensureNamespaces(fixture.namespaces);
  await ensurePolicy(fixture);
  stops.push(() => fixture.informer.stop());
  await fixture.informer.start();
  return fixture;
}

const binding = {
  metadata: { name: 'b' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }],
};

describe('PolicyInformer', () => {
  it('has all roles and bindings once it has started', async () => {
    const fixture = await started();
    expect(fixture.mayGet('system:anonymous', 'system:unauthenticated')).toBe(false);
    expect(fixture.mayGet('root', 'system:masters')).toBe(true);
  });

  it('follows the creation and deletion of roles and bindings', async () => {
    const fixture = await started();
    await fixture.create(fixture.clusterRoleBindings, binding);
    await fixture.create(fixture.clusterRoles, { metadata: { name: 'r' }, rules: [LEASES] });
    await settle();
    expect(fixture.mayGet('ann')).toBe(true);
    await fixture.remove(fixture.clusterRoles, 'r');
    await settle();
    expect(fixture.mayGet('ann')).toBe(false);
    await fixture.create(fixture.clusterRoles, { metadata: { name: 'r' }, rules: [LEASES] });
    await fixture.remove(fixture.clusterRoleBindings, 'b');
    await settle();
    expect(fixture.mayGet('ann')).toBe(false);
  });
});
