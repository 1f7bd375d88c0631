import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CoordinationV1Api, KubeConfig } from '@kubernetes/client-node';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { rowsOf } from '../support/connected.js';
import { afterEachTest, forEachTest } from '../support/for-tests.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { startServerProcess } from '../support/server-process.js';
import { createTestDatabase } from '../support/test-database.js';
import { ClientProcess } from './client-process.js';
import { informerWith } from './javascript-programs.js';
import { eventually } from '../support/eventually.js';
import { TcpLink } from '../support/tcp-link.js';

const namespace = 'default';

describe.each([
  ['of this package', undefined],
  ['1.4.0', '1.4.0'],
])('an informer of @kubernetes/client-node %s', (_title, release) => {
  const scratch = scratchDirectory();
  let informer: ClientProcess;
  let dataDir: string;

  const database = forEachTest(() => createTestDatabase());
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(scratch, 'data-'));
  });
  const server = forEachTest(() => start());
  const proxy = forEachTest(() => TcpLink.to(server.port));
  beforeEach(async () => {
    const throughProxy = path.join(dataDir, 'proxy.kubeconfig');
    await writeFile(throughProxy, (await readFile(kubeconfig(), 'utf8')).replaceAll(`:${server.port}`, `:${proxy.port}`));
    informer = new ClientProcess(process.execPath, [await informerWith(release), throughProxy]);
  });
  afterEachTest(() => informer.kill());

  const kubeconfig = () => path.join(dataDir, 'admin.kubeconfig');
  const start = () => startServerProcess({ databaseUrl: database.url, dataDir, flags: ['--compaction-interval=2s'] });
  const connect = () => {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig());
    return config.makeApiClient(CoordinationV1Api);
  };
  const create = (name: string) =>
    connect().createNamespacedLease({ namespace, body: { metadata: { name }, spec: { holderIdentity: 'js' } } });
  const isCompacted = async (resourceVersion: number) => {
    const [row] = await rowsOf<{ revision: string }>(database.url, 'select revision from compaction');
    return Number(row?.revision) > resourceVersion;
  };
  const count = (line: RegExp) => informer.lines.filter((one) => line.test(one)).length;

  test('continues where it was after its connection is cut', async () => {
    await informer.line(/^list/);
    const { spec } = await create('first');
    await informer.line(/^add first js/);
    const hold = async (holderIdentity: string) => {
      const { metadata } = await connect().readNamespacedLease({ namespace, name: 'first' });
      await connect().replaceNamespacedLease({ namespace, name: 'first', body: { metadata, spec: { ...spec, holderIdentity } } });
      await informer.line(new RegExp(`^update first ${holderIdentity}`));
    };
    await hold('watched'); // so that the watch has begun
    proxy.resetAll();
    await informer.line(/^error/);
    await hold('again');
    await create('second');
    await informer.line(/^add second js/);
    expect([count(/^list/), count(/^add first/), count(/^update first/)]).toEqual([1, 1, 2]);
  });

  test('lists again after its version is compacted, and misses nothing', async () => {
    await informer.line(/^list/);
    await create('first');
    await informer.line(/^add first js/);
    proxy.block();
    await informer.line(/^error/);
    // a bookmark may have told the informer of a later version than that of the first lease, but of none after the cut
    const { metadata } = await create('meanwhile');
    await connect().deleteNamespacedLease({ namespace, name: 'first' });
    const seen = Number(metadata?.resourceVersion);
    await eventually(
      () => isCompacted(seen),
      () => 'the old version is still there',
    );
    await server.stop(); // the next server knows only what the database still has
    await using next = await start();
    expect(count(/^list/)).toBe(1);
    proxy.leadTo({ host: '127.0.0.1', port: next.port });
    await informer.line(/^add meanwhile js/);
    await informer.line(/^delete first js/);
    expect([count(/^list/), count(/^add/), count(/^delete/)]).toEqual([2, 2, 1]);
  });
});
