import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { PROGRAM } from '../support/program-under-test.js';
import { PrimaryWithStandby } from '../support/primary-with-standby.js';
import { ControlPlane, ELECTED, whyNoControlPlane } from '../cluster/control-plane.js';
import { type NodesState, HollowNodes } from '../cluster/hollow-nodes.js';
import { type RealCluster, startCluster } from '../cluster/real-cluster.js';
import { startAgainBehind, startServerBehind } from '../cluster/server-behind.js';

/**
 * `npm run program cluster-outages`: nodes with pods and endpoints behind a real control plane whose leases are served here, while this server, its
 * PostgreSQL and kube-apiserver end and return. Prints what each cost, and fails if the cluster lost a node, a pod or an endpoint by it.
 */
const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    /** How long the server is gone. */
    seconds: { type: 'string', default: '60' },
  },
});

/** The flag that `takeover` asks for: without it kube-apiserver does not become ready while this server is down. */
const WITHOUT_LEASES = '--runtime-config=coordination.k8s.io/v1=false';
/** What kube-controller-manager does with nodes, their pods and their endpoints. */
const CONTROLLERS =
  'node-lifecycle-controller,taint-eviction-controller,endpointslice-controller,pod-garbage-collector-controller,namespace-controller';
/** A node is marked 50 s after its last heartbeat; a new leader waits as long before it marks any. */
const JUDGEMENT_MS = 75_000;
const SETTLED_MS = 20_000;
const MAX_READY_MS = 15_000;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const failures: string[] = [];

function fail(text: string): void {
  failures.push(text);
  console.log(`  ${text}`);
}

/** Reports a phase: the longest silence of a node, and everything that is not as it was. */
function judge(phase: string, nodes: HollowNodes, before: NodesState, after: NodesState): void {
  const lost = (kind: 'ready' | 'pods') => [...before[kind]].filter(([name, since]) => after[kind].get(name) !== since).length;
  console.log(`${phase}: longest gap between heartbeats of a node ${seconds(nodes.heartbeats.longestGapMs)}`);
  if (lost('ready') > 0) fail(`${lost('ready')} nodes were marked`);
  if (lost('pods') > 0) fail(`${lost('pods')} pods were marked or evicted`);
  if (after.endpoints !== before.endpoints) fail(`${after.endpoints} of ${before.endpoints} endpoints are ready`);
  if (after.slices !== before.slices) fail(`the endpoint slices were written: ${before.slices} -> ${after.slices}`);
}

async function restart(cluster: RealCluster, when: string, flags: readonly string[] = []): Promise<void> {
  const { stoppedMs, readyMs } = await cluster.restart(flags);
  console.log(`kube-apiserver restarted ${when}: ended after ${seconds(stoppedMs)}, ready ${seconds(readyMs)} after its start`);
  if (flags.length > 0 && readyMs > MAX_READY_MS) fail(`it was not ready within ${seconds(MAX_READY_MS)}`);
}

async function main(): Promise<void> {
  const missing = whyNoControlPlane();
  if (missing !== undefined) throw new Error(missing);
  const database = await PrimaryWithStandby.start();
  // With it kube-apiserver ends within seconds; otherwise it waits a minute for the watches that it passes on.
  const cluster = await startCluster(['--shutdown-send-retry-after=true']);
  let server = await startServerBehind(cluster, { databaseUrl: database.url });
  const first = server;
  const controlPlane = new ControlPlane(cluster, CONTROLLERS);
  const nodes = new HollowNodes(cluster, Number(values.nodes));
  /** Lets a phase have its consequences, and reports it. */
  const consider = async (phase: string, before: NodesState, afterMs: number) => {
    await sleep(afterMs);
    judge(phase, nodes, before, await nodes.state());
    nodes.heartbeats.forgetGaps();
  };
  const handOver = async (command: 'takeover' | 'giveback') => {
    const flags = [`--cluster-kubeconfig=${cluster.kubeconfig}`, `--data-dir=${server.dataDir}`, `--database-url=${database.url}`];
    const began = performance.now();
    const args = [PROGRAM, command, ...flags, `--service=kube-system/leases:${server.port}`, '--accept=instances'];
    await promisify(execFile)(process.execPath, args);
    console.log(`${command} took ${seconds(performance.now() - began)}`);
  };
  try {
    for (const program of ELECTED) for (let count = 0; count < 2; count++) controlPlane.start(program);
    for (const program of ELECTED) await controlPlane.elected(program);
    controlPlane.keepRunning();
    await nodes.start();
    const before = await nodes.state();
    console.log(`${before.ready.size} nodes, ${before.pods.size} pods, ${before.endpoints} endpoints are ready`);

    nodes.heartbeats.forgetGaps();
    await handOver('takeover');
    await consider('takeover', before, JUDGEMENT_MS);
    const writes = await cluster.leaseRevision();

    await restart(cluster, 'while the server serves', [WITHOUT_LEASES]);
    await consider('a restart of kube-apiserver', before, SETTLED_MS);

    const killed = performance.now();
    await server.kill();
    await sleep(5000);
    await restart(cluster, 'while the server is gone', [WITHOUT_LEASES]);
    await sleep(killed + Number(values.seconds) * 1000 - performance.now());
    server = await startAgainBehind(cluster, server);
    const back = performance.now();
    await nodes.heartbeats.allRenewed(120_000);
    console.log(`the server was gone for ${seconds(back - killed)}; all nodes had renewed ${seconds(performance.now() - back)} later`);
    await restart(cluster, 'after its return', [WITHOUT_LEASES]);
    for (const program of ELECTED) await controlPlane.elected(program);
    await consider('an outage of the server', before, JUDGEMENT_MS);

    const { crashed, promoted } = await database.failOver(5000);
    await nodes.heartbeats.allRenewed(120_000);
    const renewed = performance.now();
    console.log(
      `PostgreSQL failed over: all nodes had renewed ${seconds(renewed - crashed)} after the crash, ${seconds(renewed - promoted)} after the promotion`,
    );
    await consider('a failover of PostgreSQL', before, JUDGEMENT_MS);

    if ((await cluster.leaseRevision()) !== writes) fail('etcd had writes of leases');
    await restart(cluster, 'for the giveback');
    await handOver('giveback');
    await consider('giveback', before, JUDGEMENT_MS);
    if ((await cluster.leaseRevision()) <= writes) fail('etcd has no writes of leases after the giveback');
    console.log(failures.length === 0 ? 'passed' : `failed: ${failures.join('; ')}`);
    if (failures.length > 0) process.exitCode = 1;
  } finally {
    await nodes.stop();
    await controlPlane.stop();
    await cluster.stop();
    await server.stop();
    if (server !== first) await first.stop();
    await database.stop();
  }
}

await main();
