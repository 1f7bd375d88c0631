import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { describeUnless } from '../clients/toolchain.js';
import { ServerRun } from '../e2e/lifecycle/server-run.js';
import { forAllTests } from '../support/for-tests.js';
import { ControlPlane, ELECTED, whyNoControlPlane } from './control-plane.js';
import { startCluster } from './real-cluster.js';
import { startServerBehind } from './server-behind.js';

/** The identity by which the command holds the lease of kube-controller-manager. */
const TAKEOVER = 'coordination-apiserver-takeover';

describeUnless(whyNoControlPlane(), 'the elections of kube-controller-manager and kube-scheduler', () => {
  const cluster = forAllTests(() => startCluster(), 600_000);
  const server = forAllTests(() => startServerBehind(cluster));
  const controlPlane = forAllTests(() => new ControlPlane(cluster));
  beforeAll(async () => {
    for (const program of ELECTED) for (let count = 0; count < 2; count++) controlPlane.start(program);
    for (const program of ELECTED) await controlPlane.elected(program);
  }, 600_000);

  const handOver = async (name: 'takeover' | 'giveback') => {
    const flags = [`--cluster-kubeconfig=${cluster.kubeconfig}`, `--data-dir=${server.dataDir}`, `--database-url=${server.databaseUrl}`];
    const started = new ServerRun([name, ...flags, `--service=kube-system/leases:${server.port}`, '--accept=instances']);
    expect([await started.ended, started.stderr]).toEqual([0, expect.any(String)]);
  };
  const held = async (program: string) => {
    const { holderIdentity, leaseTransitions } = await controlPlane.elected(program, TAKEOVER);
    return { holderIdentity, leaseTransitions };
  };
  /** Longer than a leader tries to renew. */
  const quiet = () => sleep(12_000);
  /** Starts what kubelet would start again. */
  const replaceEnded = () => {
    for (const program of ELECTED) while (controlPlane.running(program) < 2) controlPlane.start(program);
  };

  test.each(['takeover', 'giveback', 'takeover'] as const)(
    'go on through a %s, of which only a takeover makes kube-controller-manager step down',
    async (command) => {
      const [controllers, scheduler] = [await held('kube-controller-manager'), await held('kube-scheduler')];
      await handOver(command);
      await quiet();
      expect(await held('kube-scheduler')).toEqual(scheduler);
      expect(controlPlane.running('kube-scheduler')).toBe(2);
      const next = await controlPlane.elected('kube-controller-manager', command === 'takeover' ? TAKEOVER : '');
      // the command holds the lease for a term of its own
      const terms = command === 'takeover' ? 2 : 0;
      expect(next.leaseTransitions).toBe(controllers.leaseTransitions + terms);
      expect(next.holderIdentity === controllers.holderIdentity).toBe(terms === 0);
      replaceEnded();
    },
    240_000,
  );

  test('go on with the same leaders after the server was silent for 5 s', async () => {
    const before = await Promise.all(ELECTED.map(held));
    server.signal('SIGSTOP');
    await sleep(5000);
    server.signal('SIGCONT');
    await quiet();
    expect(await Promise.all(ELECTED.map(held))).toEqual(before);
    expect(ELECTED.map((program) => controlPlane.running(program))).toEqual([2, 2]);
  }, 120_000);

  test.each(ELECTED)(
    'have the other %s lead after the leader was killed, and a third after that one',
    async (program) => {
      for (let round = 0; round < 2; round++) {
        const former = await controlPlane.killLeader(program);
        controlPlane.start(program);
        const next = await controlPlane.elected(program, former.holderIdentity);
        expect(next.leaseTransitions).toBe(former.leaseTransitions + 1);
        expect(controlPlane.running(program)).toBe(2);
      }
    },
    240_000,
  );
});
