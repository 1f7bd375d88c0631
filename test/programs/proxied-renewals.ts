import { parseArgs } from 'node:util';
import { NODE_FLAGS } from '../../bench/contenders/node-flags.js';
import { findGenerator } from '../../bench/load/find-generator.js';
import { postmasterOf } from '../../bench/measure/postmaster.js';
import { ProcessTree } from '../../bench/measure/process-tree.js';
import { handLeasesOver, takeLeasesBack } from '../cluster/hand-leases-over.js';
import { type RealCluster, startCluster } from '../cluster/real-cluster.js';
import { startServerBehind } from '../cluster/server-behind.js';
import type { ServerProcess } from '../support/server-process.js';
import { startSharedPostgres } from '../support/shared-postgres.js';

/** `npm run program proxied-renewals`: what one renewal costs a cluster that keeps its leases in etcd, passes them on, or is not asked at all. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    clients: { type: 'string', default: '32' },
    /** `etcd`, `proxied` and `direct`. */
    ways: { type: 'string', default: 'etcd,proxied,direct' },
    generator: { type: 'string' },
    /** Flags of Node for the server, separated by spaces: `--cpu-prof` shows where its time goes. */
    'node-flags': { type: 'string', default: '' },
  },
});

const ways = values.ways.split(',');
const TOKEN = 'admin-token';

async function main(): Promise<void> {
  await using _shared = await startSharedPostgres();
  const cluster = await startCluster();
  try {
    const nodeFlags = [...NODE_FLAGS, ...values['node-flags'].split(' ').filter(Boolean)];
    // The server decides about requests that come to it directly.
    const server = await startServerBehind(cluster, { authorization: 'FrontProxy,RBAC', nodeFlags });
    await compareWays(cluster, server).finally(() => server.stop());
  } finally {
    await cluster.stop();
  }
}

async function compareWays(cluster: RealCluster, server: ServerProcess): Promise<void> {
  const generator = findGenerator(values.generator);
  const { apiserver, etcd } = cluster.processes();
  const trees: Record<string, ProcessTree> = {
    'kube-apiserver': new ProcessTree([apiserver]),
    etcd: new ProcessTree([etcd]),
    server: new ProcessTree([server.pid]),
    PostgreSQL: new ProcessTree([await postmasterOf(server.databaseUrl)]),
  };

  /** One load, and the CPU of every program for each of its renewals. */
  const measure = async (way: string, url: string) => {
    const before = Object.values(trees).map((tree) => tree.cpuSeconds());
    const seconds = Number(values.seconds);
    const figures = await generator.renew({ url, token: TOKEN, namespace: 'renewed' }, { clients: Number(values.clients), seconds });
    const renewals = (figures['renewals/s'] ?? 0) * seconds;
    const costs = Object.entries(trees).map(
      ([name, tree], at) => `${name} ${(((tree.cpuSeconds() - (before[at] ?? 0)) / renewals) * 1000).toFixed(2)}`,
    );
    const errors = figures['errors'] === 0 ? '' : `, ${figures['errors']} errors`;
    console.log(
      `${way}: ${Math.round(renewals / seconds)} renewals/s, p99 ${figures['p99 ms']} ms${errors}; CPU ms each: ${costs.join(', ')}`,
    );
  };

  await cluster.ask('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'renewed' } } });
  for (let round = 1; round <= Number(values.rounds); round++) {
    if (ways.includes('etcd')) await measure('etcd', cluster.url);
    await handLeasesOver(cluster, server.url, server.port);
    if (ways.includes('proxied')) await measure('proxied', cluster.url);
    if (ways.includes('direct')) await measure('direct', server.url);
    await takeLeasesBack(cluster, server.url);
  }
}

await main();
