import { expect, test } from '@jest/globals';
import { forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { eventually } from '../support/eventually.js';
import { Kubectl } from './kubectl-program.js';
import { describeWithKubectls, KUBECTL_WITH_WHOAMI } from './toolchain.js';

describeWithKubectls([KUBECTL_WITH_WHOAMI], 'kubectl on roles and rights', (program) => {
  const server = forAllTests(() => startServerProcess({ flags: ['--authorization-mode=Node,RBAC'] }));
  const client = forAllTests(() => Kubectl.of(server.dataDir, program));
  const kubectl = (...args: string[]) => client.printed(args);
  /** The output of `auth can-i`, which fails when the answer is no. */
  const canI = async (...args: string[]) => (await client.run(['auth', 'can-i', ...args])).stdout.trim();
  const becomes = (answer: string, ...args: string[]) =>
    eventually(
      async () => ((await canI(...args)) === answer ? answer : undefined),
      () => `can-i ${args.join(' ')} does not become ${answer}`,
    );

  test('grants rights with create role and rolebinding, and revokes them', async () => {
    expect(await canI('get', 'leases', '--as=ann')).toBe('no');
    await kubectl('create', 'role', 'reader', '--verb=get,list', '--resource=leases.coordination.k8s.io');
    await kubectl('create', 'rolebinding', 'reader', '--role=reader', '--user=ann');
    await becomes('yes', 'get', 'leases', '--as=ann');
    expect(await canI('delete', 'leases', '--as=ann')).toBe('no');
    expect(await canI('get', 'leases', '--as=ann', '-n', 'kube-system')).toBe('no');
    expect(await kubectl('get', 'leases', '--as=ann')).toBe('');
    await expect(kubectl('delete', 'leases', '--all', '--as=ben')).rejects.toThrow('cannot list resource "leases"');
    expect(await kubectl('auth', 'can-i', '--list', '--as=ann')).toMatch(/leases\.coordination\.k8s\.io\s+\[]\s+\[]\s+\[get list]/);
    await kubectl('delete', 'rolebinding', 'reader');
    await becomes('no', 'get', 'leases', '--as=ann');
  });

  test('aggregates cluster roles by label, and binds them', async () => {
    await kubectl('create', 'clusterrole', 'part', '--verb=update', '--resource=leases.coordination.k8s.io');
    await kubectl('create', 'clusterrole', 'whole', '--aggregation-rule=team=a');
    await kubectl('create', 'clusterrolebinding', 'whole', '--clusterrole=whole', '--group=crew');
    expect(await canI('update', 'leases', '--as=ann', '--as-group=crew')).toBe('no');
    await kubectl('label', 'clusterrole', 'part', 'team=a');
    await becomes('yes', 'update', 'leases', '--as=ann', '--as-group=crew');
    expect(await kubectl('get', 'clusterrolebindings', 'whole', '-o', 'wide')).toMatch(/whole\s+ClusterRole\/whole\s+\d+s\s+crew/);
  });

  test('reconciles roles and bindings from a file', async () => {
    const rule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['watch'] };
    const metadata = { name: 'reconciled' };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reconciled' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'cy' }];
    const items = [
      { apiVersion, kind: 'ClusterRole', metadata, rules: [rule] },
      { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
    ];
    const reconcile = () =>
      client.printed(['auth', 'reconcile', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
    const done =
      'clusterrole.rbac.authorization.k8s.io/reconciled reconciled\nclusterrolebinding.rbac.authorization.k8s.io/reconciled reconciled\n';
    expect(await reconcile()).toBe(done);
    await becomes('yes', 'watch', 'leases', '-A', '--as=cy');
    await kubectl('delete', 'clusterrole', 'reconciled');
    await becomes('no - rbac: RBAC: clusterrole.rbac.authorization.k8s.io "reconciled" not found', 'watch', 'leases', '-A', '--as=cy');
    expect(await reconcile()).toBe(done);
    await becomes('yes', 'watch', 'leases', '-A', '--as=cy');
  });

  test('auth whoami shows the user, also when impersonated', async () => {
    expect(await kubectl('auth', 'whoami')).toMatch(/Username\s+admin\n.*Groups\s+\[system:masters system:authenticated]/s);
    expect(await kubectl('auth', 'whoami', '--as=ann', '--as-group=crew', '-o', 'jsonpath={.status.userInfo}')).toBe(
      '{"groups":["crew","system:authenticated"],"username":"ann"}',
    );
  });

  test('limits nodes to their own leases', async () => {
    const node = ['--as=system:node:n1', '--as-group=system:nodes', '-n', 'kube-node-lease'];
    const document = (name: string) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
    });
    const create = (name: string) => client.feed(document(name), 'create', '-f', '-', ...node);
    expect(await create('n1')).toContain('n1 created');
    await expect(create('n2')).rejects.toThrow('can only access node lease with the same name as the requesting node');
    await expect(kubectl('get', 'lease', 'n2', ...node)).rejects.toThrow('can only access node lease with the same name');
    await expect(kubectl('get', 'leases', ...node)).rejects.toThrow('can only get, create, update, patch, or delete a node lease');
    expect(await kubectl('delete', 'lease', 'n1', ...node)).toContain('deleted');
  });
});
