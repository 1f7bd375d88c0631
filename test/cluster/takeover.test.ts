import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { buildGoProgram } from '../clients/go-programs.js';
import { describeUnless } from '../clients/toolchain.js';
import { ServerRun } from '../e2e/lifecycle/server-run.js';
import { eventually } from '../support/eventually.js';
import { forAllTests } from '../support/for-tests.js';
import { Elections } from './elections.js';
import { Heartbeats } from './heartbeats.js';
import { startCluster, whyNoCluster } from './real-cluster.js';
import { startServerBehind } from './server-behind.js';

const LEASES = '/apis/coordination.k8s.io/v1/leases';
const API_SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices/v1.coordination.k8s.io';
const NODES = 1000;
const ELECTIONS = ['one', 'two', 'three'];
/** Within it a node is never marked. */
const GRACE_MS = 40_000;

/** The steps that the commands print; each run is killed at one of them. */
const TAKEOVER_STEPS = ['new revisions', 'copy: all', 'freeze', 'copy: what', 'switch', 'verify', 'unfreeze', 'step down', 'available'];
const GIVEBACK_STEPS = ['freeze', 'switch', 'copy: elections', 'new revisions', 'copy: the heartbeats', 'unfreeze'];

const microNow = () => `${new Date().toISOString().slice(0, -1)}000Z`;

describeUnless(whyNoCluster(), 'leases of a running cluster', () => {
  const cluster = forAllTests(() => startCluster(), 600_000);
  const server = forAllTests(() => startServerBehind(cluster));
  const heartbeats = forAllTests(() => new Heartbeats(cluster.url, { nodes: NODES }));
  const elections = forAllTests(async () => new Elections(await buildGoProgram('elect'), cluster.kubeconfig, ELECTIONS), 600_000);
  beforeAll(() => Promise.all([heartbeats.start(), elections.start()]), 600_000);

  const command = (name: string, ...flags: string[]) =>
    new ServerRun([
      name,
      `--cluster-kubeconfig=${cluster.kubeconfig}`,
      `--data-dir=${server.dataDir}`,
      `--database-url=${server.databaseUrl}`,
      `--service=kube-system/leases:${server.port}`,
      ...flags,
    ]);
  const run = async (name: string, ...flags: string[]) => {
    const started = command(name, ...flags);
    return { code: await started.ended, stdout: started.stdout, stderr: started.stderr };
  };
  const takeOver = async () => expect(await run('takeover', '--accept=instances')).toMatchObject({ code: 0 });
  const giveBack = async () => expect(await run('giveback', '--accept=instances')).toMatchObject({ code: 0 });
  const killAt = async (name: 'takeover' | 'giveback', step: string) => {
    const started = command(name, '--accept=instances');
    const seen = () => started.stderr.includes(`${name}: ${step}`);
    let over = false;
    void started.ended.then(() => (over = true));
    await eventually(
      () => seen() || over,
      () => `${name} never came to ${step}`,
      120_000,
    );
    await started.end('SIGKILL');
    expect([started.stderr, seen()]).toEqual([started.stderr, true]);
  };

  const list = async () => {
    const { json } = await cluster.ask(LEASES);
    return json as unknown as {
      items: { metadata: { namespace: string; name: string }; spec: { holderIdentity: string } }[];
      metadata: { resourceVersion: string };
    };
  };
  const holders = async () => {
    const { items } = await list();
    const mine = items.filter(({ metadata }) => metadata.namespace === 'kube-node-lease' || metadata.namespace === 'default');
    return Object.fromEntries(mine.map(({ metadata, spec }) => [`${metadata.namespace}/${metadata.name}`, spec.holderIdentity]));
  };
  const isServedByServer = async () => Number((await list()).metadata.resourceVersion) > 1e15;
  /** Nobody lost a lease, none is missing, and no node was silent for too long. */
  const expectUndisturbed = async (before: Record<string, string>) => {
    expect(await holders()).toEqual(before);
    for (const lease of ELECTIONS) expect([lease, elections.changes()[lease]]).toEqual([lease, [expect.stringMatching(/^leading/)]]);
    expect(heartbeats.longestGapMs).toBeLessThan(GRACE_MS);
  };

  test('a dry run names what is wrong and changes nothing', async () => {
    const wrong = await run('takeover', '--dry-run', '--service=kube-system/nobody:1');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('reachability')]);
    const right = await run('takeover', '--dry-run', '--accept=instances');
    expect(right).toMatchObject({ code: 0, stderr: '' });
    expect(await isServedByServer()).toBe(false);
  }, 240_000);

  test('they move to the server and back while they are renewed, and etcd has no writes of leases meanwhile', async () => {
    const before = await holders();
    expect(Object.keys(before)).toHaveLength(NODES + ELECTIONS.length);
    await takeOver();
    expect(await isServedByServer()).toBe(true);
    await expectUndisturbed(before);
    const revision = await cluster.leaseRevision();
    await sleep(20_000);
    expect(await cluster.leaseRevision()).toBe(revision);
    await expectUndisturbed(before);
    expect((await run('takeover', '--status')).stdout).toMatch(
      /APIService +kube-system\/leases:\d+\nphase +complete\navailable +yes\nfreeze +-\n/,
    );
    await giveBack();
    expect(await isServedByServer()).toBe(false);
    await sleep(12_000);
    await expectUndisturbed(before);
    expect(await cluster.leaseRevision()).toBeGreaterThan(revision);
    expect((await cluster.ask(API_SERVICE)).json).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    });
  }, 480_000);

  test.each(TAKEOVER_STEPS.filter((step) => step !== 'step down'))(
    'a takeover killed at "%s" is completed by the next one',
    async (step) => {
      const before = await holders();
      await killAt('takeover', step);
      await takeOver();
      expect(await isServedByServer()).toBe(true);
      await sleep(3000);
      await expectUndisturbed(before);
      await giveBack();
      await expectUndisturbed(before);
    },
    480_000,
  );

  test.each(GIVEBACK_STEPS)(
    'a giveback killed at "%s" is completed by the next one',
    async (step) => {
      const before = await holders();
      await takeOver();
      await killAt('giveback', step);
      await giveBack();
      expect(await isServedByServer()).toBe(false);
      await sleep(3000);
      await expectUndisturbed(before);
    },
    480_000,
  );

  test("watches of the server end with 410 at a giveback, so that informers do not wait for etcd's revisions to catch up", async () => {
    await takeOver();
    const { metadata } = await list();
    const watch = cluster.ask(`${LEASES}?watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=120`);
    await giveBack();
    expect((await watch).text).toContain('"code":410');
  }, 480_000);

  test('a watch that kube-apiserver opened before the takeover stays open and shows nothing more, so leaders that watch must step down', async () => {
    const { metadata } = await list();
    const query = `watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=120`;
    const watch = cluster.ask(`/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?${query}`);
    const election = {
      metadata: { name: 'watcher' },
      spec: { holderIdentity: 'leader', leaseDurationSeconds: 600, renewTime: microNow() },
    };
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    expect((await cluster.ask(leases, { method: 'POST', body: election })).status).toBe(201);
    const taken = Date.now();
    expect(await run('takeover', '--accept=instances', '--step-down=default/watcher')).toMatchObject({ code: 0 });
    expect((await cluster.ask(`${leases}/watcher`)).json.spec).toMatchObject({ holderIdentity: 'coordination-apiserver-takeover' });
    const seen = [...(await watch).text.matchAll(/"renewTime":"([^"]+)"/g)].map(([, time = '']) => Date.parse(time));
    expect(seen.length).toBeGreaterThan(0);
    expect(Math.max(...seen)).toBeLessThan(taken + 60_000);
    const fresh = await cluster.ask('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases');
    const renewed = [...fresh.text.matchAll(/"renewTime":"([^"]+)"/g)].map(([, time = '']) => Date.parse(time));
    expect(Math.min(...renewed)).toBeGreaterThan(Math.max(...seen));
    await cluster.ask(`${leases}/watcher`, { method: 'DELETE' });
    await giveBack();
  }, 480_000);

  test('leases of a namespace that the cluster deletes are deleted, and unknown namespaces refused', async () => {
    const namespace = { metadata: { name: 'short-lived' } };
    const path_ = '/apis/coordination.k8s.io/v1/namespaces/short-lived/leases';
    const lease = { metadata: { name: 'held' }, spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } };
    await takeOver();
    expect((await cluster.ask('/apis/coordination.k8s.io/v1/namespaces/nowhere/leases', { method: 'POST', body: lease })).status).toBe(404);
    expect((await cluster.ask('/api/v1/namespaces', { method: 'POST', body: namespace })).status).toBe(201);
    expect((await cluster.ask(path_, { method: 'POST', body: lease })).status).toBe(201);
    expect((await cluster.ask('/api/v1/namespaces/short-lived', { method: 'DELETE' })).status).toBe(200);
    await eventually(async () => (await cluster.ask(`${path_}/held`)).status === 404);
    await giveBack();
  }, 480_000);

  test('the front proxy is trusted by what the cluster publishes', () => {
    const kept = readFileSync(path.join(server.dataDir, 'cluster/requestheader-client-ca.crt'), 'utf8');
    expect(kept.trim()).toBe(readFileSync(path.join(cluster.dir, 'front-proxy-ca.crt'), 'utf8').trim());
  });

  // The last one: by the time of the rollback, leaders may have passed their renew deadline, and the programs of those that lost have ended.
  test('a takeover whose server hangs is rolled back, and no lease has two holders', async () => {
    const before = await holders();
    const started = command('takeover', '--accept=instances');
    await eventually(() => started.stderr.includes('takeover: switch'), undefined, 120_000);
    server.signal('SIGSTOP');
    await eventually(
      () => started.stderr.includes('takeover: rollback'),
      () => started.stderr,
      120_000,
    );
    server.signal('SIGCONT');
    expect([await started.ended, started.stderr]).toEqual([1, expect.stringContaining('rolled back')]);
    expect(await isServedByServer()).toBe(false);
    await sleep(12_000);
    expect(Object.keys(await holders()).sort()).toEqual(Object.keys(before).sort());
    expect(heartbeats.longestGapMs).toBeLessThan(GRACE_MS);
    for (const lines of Object.values(elections.changes())) {
      const count = (what: string) => lines.filter((line) => line.startsWith(what)).length;
      expect(count('leading') - count('lost')).toBeLessThanOrEqual(1);
    }
  }, 480_000);
});
