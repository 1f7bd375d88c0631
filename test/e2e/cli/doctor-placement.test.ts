import { writeFileSync } from 'node:fs';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { certificate } from '../../support/certificates.js';
import { type TestDatabase, createTestDatabase } from '../../support/test-database.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { runCommand } from './run-command.js';

const scratch = scratchDirectory();
const kubeconfig = path.join(scratch, 'cluster.conf');
const LABELS = { 'cnpg.io/cluster': 'leases' };
const ITSELF = { metadata: { namespace: 'data', name: 'leases-rw', labels: LABELS } };
/** The address of the tests' database, as that of a Service. */
const SERVICE = /^\/api\/v1\/services\?fieldSelector=spec\.clusterIP%3D(127\.0\.0\.1|%3A%3A1)$/;

let cluster: https.Server;
let hasService = false;
let database: TestDatabase;
/** Passes connections on to the tests' database, which may listen at a socket only. */
let relay: net.Server;
let url: string;

beforeAll(async () => {
  const { cert, key } = await certificate('CN=cluster', { usages: ['serverAuth'] });
  cluster = https.createServer({ cert, key }, ({ url = '' }, response) => {
    response.end(JSON.stringify({ items: hasService && SERVICE.test(url) ? [ITSELF] : [] }));
  });
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const { port } = cluster.address() as AddressInfo;
  const config = {
    clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'admin-token' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  database = await createTestDatabase();
  const { host, port: own, user = '', database: name = '', password } = new pg.Client(database.url);
  relay = net.createServer((client) => {
    const server = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${own}`) : net.connect(own, host);
    for (const socket of [client, server]) socket.on('error', () => [client, server].forEach((each) => each.destroy()));
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const secret = password ? `:${encodeURIComponent(password)}` : '';
  url = `postgresql://${user}${secret}@127.0.0.1:${(relay.address() as AddressInfo).port}/${name}`;
});
afterAll(async () => {
  cluster.closeAllConnections();
  await new Promise((resolve) => cluster.close(resolve));
  await new Promise((resolve) => relay.close(resolve));
  await database.drop();
});

async function placement(...flags: string[]) {
  const { code, stdout, stderr } = await runCommand(['doctor', '-o', 'json', '--database-url', url, ...flags]);
  if (stdout === '') throw new Error(stderr);
  const all = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
  return { code, stderr, found: all.find(({ check }) => check === 'database placement') };
}

test('doctor names a database that elects its primary by the leases that it is to hold', async () => {
  expect((await placement()).found).toBeUndefined();
  expect((await placement(`--cluster-kubeconfig=${kubeconfig}`)).found).toMatchObject({ state: 'ok' });
  hasService = true;
  const { code, stderr, found } = await placement(`--cluster-kubeconfig=${kubeconfig}`);
  expect(found).toMatchObject({ state: 'problem' });
  expect(found?.detail).toContain('is the Service data/leases-rw of the cluster, of CloudNativePG, which elects its primary by a lease');
  expect([code, stderr]).toEqual([2, expect.stringContaining('database placement: see above')]);
});

test('a cluster that cannot be asked is a warning', async () => {
  const gone = path.join(scratch, 'gone.conf');
  const cluster_ = { server: 'https://127.0.0.1:1' };
  const contexts = [{ name: 'x', context: { cluster: 'c', user: '' } }];
  writeFileSync(gone, JSON.stringify({ clusters: [{ name: 'c', cluster: cluster_ }], contexts, 'current-context': 'x' }));
  const { found } = await placement(`--cluster-kubeconfig=${gone}`);
  expect([found?.state, found?.detail]).toEqual(['warning', expect.stringContaining('cannot reach https://127.0.0.1:1')]);
});
