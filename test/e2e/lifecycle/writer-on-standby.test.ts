import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { rowsOf } from '../../support/connected.js';
import { ask } from '../../support/http-client.js';
import { startServerProcess } from '../../support/server-process.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { caughtUp, primaryAndCopy } from '../../support/standby.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const scratch = scratchDirectory();
const pair = forAllTests(() => primaryAndCopy(scratch));

test('a server whose database address leads to a standby is not ready, and writes again after the promotion', async () => {
  const { primary, standby } = pair;
  const started = standby.start();
  started.catch(() => undefined);
  await using proxy = await DatabaseProxy.start(primary.url());
  await using server = await startServerProcess({ databaseUrl: proxy.url(primary.url()) });
  const create = (name: string) =>
    ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: 'x' } } });
  const readyz = async () => (await ask(`${server.url}/readyz?verbose`)).text;
  expect((await create('before')).status).toBe(201);
  expect(await readyz()).toContain('[+]writes ok');
  await caughtUp(standby, primary);

  await primary.stop();
  proxy.redirect(standby.url());
  const refused = await create('meanwhile');
  expect([refused.status, refused.json.reason, refused.headers['retry-after']]).toEqual([503, 'ServiceUnavailable', '2']);
  const report = await readyz();
  expect(report).toContain('[-]writes failed');
  expect((await ask(`${server.url}/readyz/writes`)).text).toContain('standby');

  await rowsOf(standby.url(), 'select pg_promote()');
  await started;
  const answers: number[] = [];
  const end = Date.now() + 15_000;
  do {
    answers.push((await create('after')).status);
  } while (answers.at(-1) !== 201 && Date.now() < end);
  expect(answers.at(-1)).toBe(201);
  for (let tries = 0; (await readyz()).includes('[-]') && tries < 100; tries++) await sleep(100);
  expect(await readyz()).toContain('readyz check passed');
});
