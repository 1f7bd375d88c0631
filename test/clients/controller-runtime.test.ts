import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../support/for-tests.js';
import { CoordinationV1Api, KubeConfig } from '@kubernetes/client-node';
import { startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { eventually } from '../support/eventually.js';
import { buildGoProgram } from './go-programs.js';
import { describeWith, GO } from './toolchain.js';

describeWith([GO], 'a manager of controller-runtime', () => {
  let binary: string;
  let kubeconfig: string;
  const managers: ClientProcess[] = [];

  beforeAll(async () => {
    binary = await buildGoProgram('manager');
  }, 600_000);
  const server = forAllTests(() => startServerProcess(), 600_000);
  beforeAll(() => {
    kubeconfig = path.join(server.dataDir, 'admin.kubeconfig');
  }, 600_000);
  afterAllTests(async () => {
    await Promise.all(managers.map((manager) => manager.kill()));
  });

  const start = (identity: string) => {
    const manager = new ClientProcess(binary, [`--kubeconfig-file=${kubeconfig}`, `--identity=${identity}`]);
    managers.push(manager);
    return manager;
  };

  test('leads, reconciles through its cache, and hands over when it stops', async () => {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const api = config.makeApiClient(CoordinationV1Api);
    const namespace = 'default';
    const finalizers = async (name: string) => (await api.readNamespacedLease({ namespace, name })).metadata?.finalizers;

    const first = start('first');
    await first.line(/^elected first/);
    const second = start('second');
    await api.createNamespacedLease({ namespace, body: { metadata: { name: 'one' }, spec: { holderIdentity: 'me' } } });
    await first.line(/^reconciled one me deleting: false/);
    expect(await finalizers('one')).toEqual(['example.org/manager']);

    expect((await api.readNamespacedLease({ namespace: 'kube-system', name: 'manager' })).spec?.holderIdentity).toContain('_');
    expect(second.lines.filter((line) => line.startsWith('elected'))).toEqual([]);
    first.signal('SIGTERM');
    await second.line(/^elected second/);
    await api.deleteNamespacedLease({ namespace, name: 'one' });
    await second.line(/^reconciled one me deleting: true/);
    const gone = async () => (await api.listNamespacedLease({ namespace })).items.length === 0;
    await eventually(gone, () => 'the lease is still there');
    expect([...first.lines, ...second.lines].filter((line) => line.startsWith('error'))).toEqual([]);
  });
});
