import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { postgresUnderTest } from '../../support/postgres-under-test.js';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { connected } from '../../support/connected.js';
import { ask } from '../../support/http-client.js';
import { startServerProcess } from '../../support/server-process.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { caughtUp, copyOf } from '../../support/standby.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const scratch = scratchDirectory();
const [primaryDir, standbyDir] = [path.join(scratch, 'a'), path.join(scratch, 'b')];
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

test('a server whose database address leads to a standby is not ready, and writes again after the promotion', async () => {
  const primary = postgresUnderTest({ dir: primaryDir });
  await primary.start();
  ends.push(() => primary.stop());
  const standby = await copyOf(primary, primaryDir, standbyDir);
  const started = standby.start();
  started.catch(() => undefined);
  ends.push(() => standby.stop());
  const proxy = await DatabaseProxy.start(primary.url());
  ends.push(() => proxy.close());
  const server = await startServerProcess({ databaseUrl: proxy.url(primary.url()) });
  ends.push(() => server.stop());
  const create = (name: string) =>
    ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: 'x' } } });
  const readyz = async () => (await ask(`${server.url}/readyz?verbose`)).text;
  expect((await create('before')).status).toBe(201);
  expect(await readyz()).toContain('[+]writes ok');
  for (let tries = 0; standby.url().includes(':@') && tries < 100; tries++) await sleep(100);
  const client = await connected(primary.url());
  const { rows } = await client.query<{ place: string }>('select pg_current_wal_lsn()::text as place');
  await client.end();
  await caughtUp(standby.url(), rows[0]!.place);

  await primary.stop();
  proxy.redirect(standby.url());
  const refused = await create('meanwhile');
  expect([refused.status, refused.json.reason, refused.headers['retry-after']]).toEqual([503, 'ServiceUnavailable', '2']);
  const report = await readyz();
  expect(report).toContain('[-]writes failed');
  expect((await ask(`${server.url}/readyz/writes`)).text).toContain('standby');

  const promoting = await connected(standby.url());
  await promoting.query('select pg_promote()');
  await promoting.end();
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
