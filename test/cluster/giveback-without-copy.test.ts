import { expect, test } from '@jest/globals';
import { describeUnless } from '../clients/toolchain.js';
import { forAllTests } from '../support/for-tests.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { ServerRun } from '../e2e/lifecycle/server-run.js';
import { eventually } from '../support/eventually.js';
import { startCluster, whyNoCluster } from './real-cluster.js';
import { startServerBehind } from './server-behind.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const NODE_LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
/** The longest lease that is assumed where the server cannot be asked. */
const UNKNOWN_LEASE_MS = 60_000;

describeUnless(whyNoCluster(), 'giveback --without-copy', () => {
  const elsewhere = scratchDirectory();

  const cluster = forAllTests(() => startCluster(), 600_000);
  const server = forAllTests(() => startServerBehind(cluster), 600_000);

  const specOf = (holderIdentity: string) => ({
    holderIdentity,
    leaseDurationSeconds: 15,
    renewTime: `${new Date().toISOString().slice(0, -1)}000Z`,
  });
  const create = async (leases: string, name: string, holder: string) => {
    const { status } = await cluster.ask(leases, { method: 'POST', body: { metadata: { name }, spec: specOf(holder) } });
    expect([name, status]).toEqual([name, 201]);
  };
  const take = async (leases: string, name: string, holder: string) => {
    const { json } = await cluster.ask(`${leases}/${name}`);
    return cluster.ask(`${leases}/${name}`, { method: 'PUT', body: { ...json, spec: specOf(holder) } });
  };
  const holderOf = async (name: string) => (await cluster.ask(`${LEASES}/${name}`)).json.spec;
  const run = (...args: string[]) => new ServerRun([...args, `--cluster-kubeconfig=${cluster.kubeconfig}`]);

  test('serves heartbeats at once, and elections only after every lease of the lost server has expired', async () => {
    await create(LEASES, 'election', 'ann');
    await create(NODE_LEASES, 'node', 'node');
    const takeover = run(
      'takeover',
      '--accept=instances',
      '--step-down=',
      `--data-dir=${server.dataDir}`,
      `--database-url=${server.databaseUrl}`,
      `--service=kube-system/leases:${server.port}`,
    );
    expect([await takeover.ended, takeover.stderr]).toEqual([0, expect.stringContaining('available')]);
    expect((await take(LEASES, 'election', 'bob')).status).toBe(200);
    await server.kill();
    const lost = Date.now();

    // Away from the server, whose files may be lost with it.
    const status = run('takeover', '--status', `--data-dir=${elsewhere}`);
    expect([await status.ended, status.stdout]).toEqual([0, expect.stringContaining('kube-system/leases')]);
    const giveback = run('giveback', '--without-copy', `--data-dir=${elsewhere}`);
    await eventually(
      () => giveback.stderr.includes('giveback: wait'),
      () => giveback.stderr,
      60_000,
    );
    expect(await holderOf('election')).toMatchObject({ holderIdentity: 'ann' });
    expect((await take(NODE_LEASES, 'node', 'node')).status).toBe(200);
    const early = await take(LEASES, 'election', 'ann');
    expect([early.status, early.text]).toEqual([403, expect.stringContaining('leases are being handed over')]);

    expect([await giveback.ended, giveback.stderr]).toEqual([0, expect.stringContaining('giveback: unfreeze')]);
    expect(Date.now() - lost).toBeGreaterThan(UNKNOWN_LEASE_MS);
    await eventually(async () => (await take(LEASES, 'election', 'carl')).status === 200);
    expect(await holderOf('election')).toMatchObject({ holderIdentity: 'carl' });
  }, 300_000);
});
