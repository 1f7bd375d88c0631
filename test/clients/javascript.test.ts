import path from 'node:path';
import { CoordinationV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import type { V1Lease } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServerProcess } from '../support/server-process.js';
import { startServerProcess } from '../support/server-process.js';
import { eventually } from './client-process.js';

describe('@kubernetes/client-node', () => {
  let server: ServerProcess;
  let api: CoordinationV1Api;
  const config = new KubeConfig();
  const namespace = 'default';

  beforeAll(async () => {
    server = await startServerProcess({ flags: ['--compaction-interval=2s'] });
    config.loadFromFile(path.join(server.dataDir, 'admin.kubeconfig'));
    api = config.makeApiClient(CoordinationV1Api);
  });
  afterAll(() => server.stop());

  const create = (name: string) => api.createNamespacedLease({ namespace, body: { metadata: { name }, spec: { holderIdentity: 'js' } } });

  test('an informer sees every change, also across a dropped connection and a relist', async () => {
    const seen = { add: [] as string[], update: [] as string[], delete: [] as string[] };
    const list = () => api.listNamespacedLease({ namespace });
    const informer = makeInformer<V1Lease>(config, `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, list);
    for (const kind of ['add', 'update', 'delete'] as const) informer.on(kind, (lease) => void seen[kind].push(lease.metadata?.name ?? ''));
    let restarts = 0;
    informer.on('error', () => {
      restarts++;
      setTimeout(() => void informer.start(), 100);
    });
    await informer.start();
    const shown = (kind: keyof typeof seen, name: string) =>
      eventually(
        () => seen[kind].find((one) => one === name),
        20_000,
        () => `no ${kind} of ${name}: ${JSON.stringify(seen)}`,
      );

    await create('first');
    await shown('add', 'first');
    const first = await api.readNamespacedLease({ namespace, name: 'first' });
    await api.replaceNamespacedLease({ namespace, name: 'first', body: { ...first, spec: { holderIdentity: 'other' } } });
    await shown('update', 'first');

    await informer.stop();
    await create('meanwhile');
    await api.deleteNamespacedLease({ namespace, name: 'first' });
    await new Promise((resolve) => setTimeout(resolve, 6_000)); // beyond two compactions: the old version answers 410
    await informer.start();
    await shown('add', 'meanwhile');
    await shown('delete', 'first');
    expect(informer.get('first', namespace)).toBeUndefined();
    expect(informer.list().map((lease) => lease.metadata?.name)).toEqual(['meanwhile']);
    expect(restarts).toBeLessThan(5);
    await informer.stop();
  }, 60_000);
});
