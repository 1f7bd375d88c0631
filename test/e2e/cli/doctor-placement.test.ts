import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { startAnswering } from '../../support/answering-server.js';
import { certificate } from '../../support/certificates.js';
import { forAllTests } from '../../support/for-tests.js';
import { kubeconfig } from '../../support/kubeconfig.js';
import { createTestDatabase } from '../../support/test-database.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { runCommand } from './run-command.js';

const scratch = scratchDirectory();
const LABELS = { 'cnpg.io/cluster': 'leases' };
const ITSELF = { metadata: { namespace: 'data', name: 'leases-rw', labels: LABELS } };
/** The address of the tests' database, as that of a Service. */
const SERVICE = /^\/api\/v1\/services\?fieldSelector=spec\.clusterIP%3D(127\.0\.0\.1|%3A%3A1)$/;

let hasService = false;

const cluster = forAllTests(async () => {
  const { cert, key } = await certificate('CN=cluster', { usages: ['serverAuth'] });
  return startAnswering(
    (_, { url = '' }, response) => response.end(JSON.stringify({ items: hasService && SERVICE.test(url) ? [ITSELF] : [] })),
    { cert, key },
  );
});
const database = forAllTests(() => createTestDatabase());
/** At an address, where the tests' database may listen at a socket only. */
const relay = forAllTests(() => DatabaseProxy.start(database.url));

/** A kubeconfig for this cluster. */
function fileOf(server: string): string {
  const file = path.join(scratch, `${new URL(server).port}.conf`);
  writeFileSync(file, kubeconfig({ server, 'insecure-skip-tls-verify': true }, { token: 'admin-token' }));
  return file;
}

async function placement(...flags: string[]) {
  const { code, stdout, stderr } = await runCommand(['doctor', '-o', 'json', '--database-url', relay.url(database.url), ...flags]);
  if (stdout === '') throw new Error(stderr);
  const all = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
  return { code, stderr, found: all.find(({ check }) => check === 'database placement') };
}

test('doctor names a database that elects its primary by the leases that it is to hold', async () => {
  expect((await placement()).found).toBeUndefined();
  expect((await placement(`--cluster-kubeconfig=${fileOf(cluster.url)}`)).found).toMatchObject({ state: 'ok' });
  hasService = true;
  const { code, stderr, found } = await placement(`--cluster-kubeconfig=${fileOf(cluster.url)}`);
  expect(found).toMatchObject({ state: 'problem' });
  expect(found?.detail).toContain('is the Service data/leases-rw of the cluster, of CloudNativePG, which elects its primary by a lease');
  expect([code, stderr]).toEqual([2, expect.stringContaining('database placement: see above')]);
});

test('a cluster that cannot be asked is a warning', async () => {
  const { found } = await placement(`--cluster-kubeconfig=${fileOf('https://127.0.0.1:1')}`);
  expect([found?.state, found?.detail]).toEqual(['warning', expect.stringContaining('cannot reach https://127.0.0.1:1')]);
});
