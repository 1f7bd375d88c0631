import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeAll, expect, test } from '@jest/globals';
import { freePorts } from '../failover/cluster/free-ports.js';
import { describeUnless } from '../clients/toolchain.js';
import { forAllTests } from '../support/for-tests.js';
import { ask, Http2Client } from '../support/http-client.js';
import { startServerProcess } from '../support/server-process.js';
import { handLeasesOver } from './hand-leases-over.js';
import { startCluster, whyNoCluster } from './real-cluster.js';

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const AT_ONCE = 50;
const ROUNDS = 5;

/** Endpoints must not be loopback addresses. */
const address = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
const reason = whyNoCluster() ?? (address === undefined ? 'this machine has no address but those of loopback' : undefined);

/** A port that is free together with the next one. */
async function twoFreePorts(): Promise<number> {
  for (;;) {
    const [port = 0] = await freePorts(1);
    const next = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      next.once('error', () => resolve(false)).listen(port + 1, '0.0.0.0', () => resolve(true));
    });
    await new Promise((resolve) => next.close(resolve));
    if (isFree) return port;
  }
}

describeUnless(reason, 'two workers behind one kube-apiserver', () => {
  const cluster = forAllTests(() => startCluster(['--enable-aggregator-routing=true']), 600_000);
  const server = forAllTests(async () =>
    startServerProcess({
      port: await twoFreePorts(),
      flags: [
        '--workers=2',
        '--worker-ports',
        '--bind-address=0.0.0.0',
        `--cluster-kubeconfig=${cluster.kubeconfig}`,
        '--tls-san=leases.kube-system.svc',
        '--authorization-mode=FrontProxy',
      ],
    }),
  );
  const client = forAllTests(() => new Http2Client(cluster.url));
  beforeAll(async () => {
    const service = { metadata: { name: 'leases' }, spec: { ports: [{ name: 'https', port: 443 }] } };
    expect((await cluster.ask('/api/v1/namespaces/kube-system/services', { method: 'POST', body: service })).status).toBe(201);
    for (const own of [server.port, server.port + 1]) {
      const slice = {
        metadata: { name: `leases-${own}`, labels: { 'kubernetes.io/service-name': 'leases' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address] }],
        ports: [{ name: 'https', port: own }],
      };
      expect((await cluster.ask(SLICES, { method: 'POST', body: slice })).status).toBe(201);
    }
    await handLeasesOver(cluster, server.url);
  }, 600_000);

  /** How many PUTs of leases each worker has answered. */
  async function putsByWorker(): Promise<Record<string, number>> {
    const { text } = await ask(`${server.url}/metrics`);
    const counts: Record<string, number> = {};
    for (const line of text.split('\n')) {
      if (!line.startsWith('apiserver_request_total{') || !line.includes('verb="PUT"') || !line.includes('resource="leases"')) continue;
      const worker = /worker="([^"]*)"/.exec(line)?.[1] ?? '';
      counts[worker] = (counts[worker] ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1));
    }
    return counts;
  }

  test('share its requests if each has a port of its own', async () => {
    const names = Array.from({ length: AT_ONCE }, (_, at) => `shared-${at}`);
    const spec = { holderIdentity: 'me', leaseDurationSeconds: 15 };
    const created = await Promise.all(names.map((name) => client.ask(LEASES, { method: 'POST', body: { metadata: { name }, spec } })));
    let known = created.map(({ json }) => json);
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        names.map((name, at) => client.ask(`${LEASES}/${name}`, { method: 'PUT', body: { ...known[at], spec } })),
      );
      expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
      known = answers.map(({ json }) => json);
    }
    const counts = await putsByWorker();
    expect(Object.keys(counts).sort()).toEqual(['1', '2']);
    expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(AT_ONCE * ROUNDS);
    // kube-apiserver throws a coin for each request.
    expect(Math.min(...Object.values(counts))).toBeGreaterThan((AT_ONCE * ROUNDS) / 4);
  }, 120_000);
});
