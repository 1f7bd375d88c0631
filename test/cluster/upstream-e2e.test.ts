import { execFile } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram, whyMissing } from '../../bench/contenders/find-upstream.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { ControlPlane, whyNoControlPlane } from './control-plane.js';
import { handLeasesOver } from './hand-leases-over.js';
import { HollowNodes } from './hollow-nodes.js';
import { type RealCluster, startCluster } from './real-cluster.js';
import { startServerBehind } from './server-behind.js';

const NODES = 3;

const reason = whyMissing('e2e.test') ?? whyNoControlPlane();
const suite = reason === undefined ? describe : describe.skip;
if (reason !== undefined) test.skip(`skipped: ${reason}`, () => undefined);

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

suite("the specs of leases in Kubernetes' end-to-end suite", () => {
  test('pass at this server, those of coordinated leader election included', async () => {
    await using server = await startServerProcess();
    const kubeconfig = path.join(server.dataDir, 'admin.kubeconfig');
    expect(await specs(kubeconfig, ' Lease |CoordinatedLeaderElection')).toEqual({ passed: 7, failed: 0, output: '' });
  }, 300_000);

  describe('through a kube-apiserver whose leases are served here', () => {
    let cluster: RealCluster;
    let server: ServerProcess;
    let controlPlane: ControlPlane;
    let nodes: HollowNodes;

    beforeAll(async () => {
      cluster = await startCluster();
      server = await startServerBehind(cluster);
      await handLeasesOver(cluster, server.url, server.port);
      controlPlane = new ControlPlane(cluster, 'node-lifecycle-controller,endpointslice-controller,namespace-controller');
      controlPlane.start('kube-controller-manager');
      nodes = new HollowNodes(cluster, NODES);
      await nodes.start();
    }, 600_000);

    afterAll(async () => {
      await nodes?.stop();
      await controlPlane?.stop();
      await cluster?.stop();
      await server?.stop();
    });

    test('pass, those of the leases of nodes included', async () => {
      expect(await specs(cluster.kubeconfig, ' Lease |NodeLease')).toEqual({ passed: 4, failed: 0, output: '' });
    }, 600_000);
  });
});
