import { afterEach, describe, expect, it } from '@jest/globals';
import { PolicyFixture } from '../../../test/support/policy-fixture.js';
import { ensureNamespaces } from '../../apis/core/namespace/cluster-namespaces.js';
import { ensurePolicy } from '../../apis/rbac/bootstrap/ensure-policy.js';
import { ClusterRoleAggregationReconciler } from './cluster-role-aggregation.reconciler.js';

const LEASES = { verbs: ['get'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
const ROLES = 'clusterroles.rbac.authorization.k8s.io';
const TO_VIEW = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Replicas with the bootstrap policy, each of which has aggregated all roles. */
async function replicas(count: number): Promise<PolicyFixture> {
  const fixture = new PolicyFixture();
  await ensureNamespaces(fixture.namespaces);
  await ensurePolicy(fixture);
  for (let n = 0; n < count; n++) {
    const controller = new ClusterRoleAggregationReconciler({ ...fixture.shared, clusterRoles: fixture.clusterRoles });
    stops.push(() => controller.stop());
    await controller.start();
  }
  await fixture.scheduler.pass(1000);
  return fixture;
}

describe('ClusterRoleAggregationReconciler', () => {
  it('aggregates the rules of labelled roles over several levels, and removes them again', async () => {
    const fixture = await replicas(1);
    await fixture.create(fixture.clusterRoles, { metadata: { name: 'more', labels: TO_VIEW }, rules: [LEASES] });
    await fixture.scheduler.pass(1000);
    for (const name of ['view', 'edit', 'admin']) expect((await fixture.clusterRole(name)).rules).toContainEqual(LEASES);
    await fixture.remove(fixture.clusterRoles, 'more');
    await fixture.scheduler.pass(1000);
    for (const name of ['view', 'edit', 'admin']) expect((await fixture.clusterRole(name)).rules).not.toContainEqual(LEASES);
  });

  it('has the same result with two replicas, and then writes nothing more', async () => {
    const fixture = await replicas(2);
    await fixture.create(fixture.clusterRoles, { metadata: { name: 'more', labels: TO_VIEW }, rules: [LEASES] });
    await fixture.scheduler.pass(1000);
    const gathered = await fixture.clusterRole('view');
    expect(gathered.rules).toContainEqual(LEASES);
    await fixture.scheduler.pass(60_000);
    expect(await fixture.clusterRole('view')).toEqual(gathered);
  });

  it('leaves a role alone that was recreated without aggregation while the previous one was about to be written', async () => {
    const fixture = await replicas(1);
    let judged = false;
    fixture.replicas.beforeUpdate(ROLES, 'view', async () => {
      judged = true;
      await fixture.remove(fixture.clusterRoles, 'view');
      await fixture.create(fixture.clusterRoles, { metadata: { name: 'view' }, rules: [] });
    });
    await fixture.create(fixture.clusterRoles, { metadata: { name: 'more', labels: TO_VIEW }, rules: [LEASES] });
    await fixture.scheduler.pass(1000);
    expect(judged).toBe(true);
    const { rules, aggregationRule } = await fixture.clusterRole('view');
    expect([rules ?? [], aggregationRule]).toEqual([[], undefined]);
  });
});
