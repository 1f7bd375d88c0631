import { execFile } from 'node:child_process';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram, whyMissing } from '../../bench/contenders/find-upstream.js';
import { describeUnless } from '../clients/toolchain.js';
import { forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { ControlPlane, whyNoControlPlane } from './control-plane.js';
import { handLeasesOver } from './hand-leases-over.js';
import { HollowNodes } from './hollow-nodes.js';
import { startCluster } from './real-cluster.js';
import { startServerBehind } from './server-behind.js';

const NODES = 3;

/** How many specs whose names match passed, and the output if some did not. */
function specs(kubeconfig: string, focus: string): Promise<{ readonly passed: number; readonly failed: number; readonly output: string }> {
  const flags = ['--e2e-verify-service-account=false', '--provider=skeleton', '--ginkgo.no-color', `--ginkgo.focus=${focus}`];
  return new Promise((resolve) => {
    execFile(findProgram('e2e.test'), [`--kubeconfig=${kubeconfig}`, ...flags], { maxBuffer: 2 ** 26 }, (error, stdout) => {
      const count = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(stdout)?.[1] ?? -1);
      resolve({ passed: count('Passed'), failed: count('Failed'), output: error ? stdout.slice(-10_000) : '' });
    });
  });
}

describeUnless(whyMissing('e2e.test') ?? whyNoControlPlane(), "the specs of leases in Kubernetes' end-to-end suite", () => {
  test('pass at this server, those of coordinated leader election included', async () => {
    await using server = await startServerProcess();
    const kubeconfig = path.join(server.dataDir, 'admin.kubeconfig');
    expect(await specs(kubeconfig, ' Lease |CoordinatedLeaderElection')).toEqual({ passed: 7, failed: 0, output: '' });
  }, 300_000);

  describe('through a kube-apiserver whose leases are served here', () => {
    const cluster = forAllTests(() => startCluster(), 600_000);
    const server = forAllTests(() => startServerBehind(cluster));
    const controlPlane = forAllTests(
      () => new ControlPlane(cluster, 'node-lifecycle-controller,endpointslice-controller,namespace-controller'),
    );
    const nodes = forAllTests(() => new HollowNodes(cluster, NODES));
    beforeAll(async () => {
      await handLeasesOver(cluster, server.url, server.port);
      controlPlane.start('kube-controller-manager');
      await nodes.start();
    }, 600_000);

    test('pass, those of the leases of nodes included', async () => {
      expect(await specs(cluster.kubeconfig, ' Lease |NodeLease')).toEqual({ passed: 4, failed: 0, output: '' });
    }, 600_000);
  });
});
