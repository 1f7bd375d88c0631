import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { authority } from '../../support/certificates.js';
import { eventually } from '../../support/eventually.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { type ServerProcess, type ServerProcessOptions, startServerProcess } from '../../support/server-process.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

const scratch = scratchDirectory();
const LEASE = { metadata: { name: 'held' }, spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } };
/** A server of this project has namespaces with the same API as a cluster. */
const cluster = forAllTests(() => startServerProcess());
const start = (options: ServerProcessOptions = {}) =>
  startServerProcess({
    ...options,
    flags: [
      `--cluster-kubeconfig=${path.join(cluster.dataDir, 'admin.kubeconfig')}`,
      `--requestheader-client-ca-file=${path.join(scratch, 'proxies.crt')}`,
      '--authorization-mode=FrontProxy,RBAC',
    ],
  });
let server: ServerProcess;

beforeAll(async () => {
  await writeFile(path.join(scratch, 'proxies.crt'), (await authority('proxies')).cert);
  server = await start();
});
afterAllTests(() => server.stop());

const create = async (name: string) => {
  const { json } = await ask(`${cluster.url}/api/v1/namespaces`, { method: 'POST', body: { metadata: { name } } });
  return json.metadata?.uid;
};
const leases = (namespace: string) => `${server.url}/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const acquire = async (namespace: string) => (await ask(leases(namespace), { method: 'POST', body: LEASE })).status;

test('a lease can be created as soon as the cluster has its namespace, and not before', async () => {
  expect(await acquire('new')).toBe(404);
  await create('new');
  await eventually(async () => (await acquire('new')) === 201);
});

test('namespaces of the cluster appear without a lease', async () => {
  const uid = await create('quiet');
  const mirror = await eventually(async () => {
    const { status, json } = await ask(`${server.url}/api/v1/namespaces/quiet`);
    return status === 200 && json;
  });
  expect(mirror.metadata).toMatchObject({ annotations: { 'coordination-apiserver/cluster-uid': uid } });
});

test('a namespace that the cluster deletes is deleted with its leases, and no other is', async () => {
  await create('short-lived');
  await ask(`${server.url}/api/v1/namespaces`, { method: 'POST', body: { metadata: { name: 'made-here' } } });
  await eventually(async () => (await acquire('short-lived')) === 201);
  await ask(`${cluster.url}/api/v1/namespaces/short-lived`, { method: 'DELETE' });
  await eventually(async () => (await ask(`${leases('short-lived')}/held`)).status === 404);
  await eventually(async () => (await ask(`${server.url}/api/v1/namespaces/short-lived`)).status === 404);
  expect(await acquire('short-lived')).toBe(404);
  expect(await acquire('made-here')).toBe(201);
});

test('a namespace that was deleted while nobody watched is deleted later', async () => {
  await create('forgotten');
  await eventually(async () => (await acquire('forgotten')) === 201);
  const { dataDir, databaseUrl, port } = server;
  await server.kill();
  await ask(`${cluster.url}/api/v1/namespaces/forgotten`, { method: 'DELETE' });
  server = await start({ dataDir, databaseUrl, port });
  await eventually(async () => (await ask(`${leases('forgotten')}/held`)).status === 404);
});

test('the server does not look like a kube-apiserver, and leaves the lease of its elections alone', async () => {
  const identities = `${leases('kube-system')}?labelSelector=${encodeURIComponent('apiserver.kubernetes.io/identity')}`;
  const { json } = await ask(identities);
  expect(json.items?.map(({ metadata }) => metadata?.labels?.['apiserver.kubernetes.io/identity'])).toEqual(['coordination-apiserver']);
  expect((await ask(`${leases('kube-system')}/coordination-apiserver`)).status).toBe(200);
  expect((await ask(`${leases('kube-system')}/leader-election-controller`)).status).toBe(404);
});
