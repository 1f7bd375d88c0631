import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { authority } from '../../support/certificates.js';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { grant } from '../../support/rights.js';
import { startServerProcess } from '../../support/server-process.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const scratch = scratchDirectory();
/** A server of this project answers reviews like a cluster. */
const cluster = forAllTests(() =>
  startServerProcess({
    tokens: ['admin-token,admin,admin,"system:masters"', 'ann-token,ann,ann', 'bob-token,bob,bob'],
    flags: ['--authorization-mode=RBAC'],
  }),
);
const server = forAllTests(async () => {
  const proxies = path.join(scratch, 'proxies.crt');
  await writeFile(proxies, (await authority('proxies')).cert);
  const rules = [{ verbs: ['get', 'list', 'create'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }];
  await grant(cluster.url, 'ann', rules, 'default');
  return startServerProcess({
    flags: [
      `--cluster-kubeconfig=${path.join(cluster.dataDir, 'admin.kubeconfig')}`,
      `--requestheader-client-ca-file=${proxies}`,
      '--authentication-token-webhook-config-file=cluster',
      '--authorization-mode=Webhook',
      '--authorization-webhook-config-file=cluster',
    ],
  });
});

const as = (user: string, method = 'GET', name = '') =>
  ask(`${server.url}${LEASES}${name}`, {
    method,
    headers: { authorization: `Bearer ${user}-token` },
    ...(method === 'POST' ? { body: { metadata: { name: 'anns' } } } : {}),
  });

test("tokens and rights are the cluster's", async () => {
  expect((await as('ann')).status).toBe(200);
  expect((await as('ann', 'POST')).status).toBe(201);
  const refused = await as('ann', 'DELETE', '/anns');
  expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining('User "ann" cannot delete resource "leases"')]);
  expect((await as('bob')).status).toBe(403);
  expect((await as('nobody')).status).toBe(401);
  // The server's own administrator depends on no cluster.
  expect((await ask(`${server.url}${LEASES}`)).status).toBe(200);
});

test('while the cluster does not answer, its cached answers count, and nothing else is allowed', async () => {
  await cluster.kill();
  expect((await as('ann')).status).toBe(200);
  expect((await as('bob')).status).toBe(403);
  expect((await as('carl')).status).toBe(401);
  expect((await as('ann', 'GET', '/anns')).status).toBe(500);
  expect((await ask(`${server.url}${LEASES}`)).status).toBe(200);
});
