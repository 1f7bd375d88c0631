import { describe, expect, test } from '@jest/globals';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { describeWith, PGBOUNCER } from '../../clients/toolchain.js';
import { connected } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { forAllTests } from '../../support/for-tests.js';
import { type Ask, ask } from '../../support/http-client.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const CONNECTIONS = 16;
/** A refusal takes milliseconds; waiting for the database takes ten seconds. */
const AT_ONCE_MS = 5_000;

/** Expects that reads and writes are refused at once soon after the database stops answering, and work again once it answers. */
async function expectOutage(url: string, begin: () => unknown, end: () => unknown): Promise<void> {
  const request = (path: string, { timeoutMs = AT_ONCE_MS, ...more }: Ask = {}) =>
    ask(`${url}${LEASES}${path}`, { timeoutMs, ...more }).catch(() => undefined);
  const read = (timeoutMs?: number) => request('/known', { timeoutMs });
  const write = (timeoutMs?: number) => request('', { timeoutMs, method: 'POST', body: { metadata: { generateName: 'x-' }, spec: {} } });
  const isRefused = async (ask: typeof read): Promise<boolean> => {
    const answer = await ask();
    return answer?.status === 503 && String(answer.headers['retry-after']).endsWith('GMT');
  };
  expect((await request('', { method: 'POST', body: { metadata: { name: 'known' }, spec: {} } }))?.status).toBe(201);
  await begin();
  // Those who ask at the beginning still wait when others are refused.
  const first = [read, write].map((ask) => ({ ask, hasEnded: false }));
  for (const each of first) void each.ask(60_000).then(() => (each.hasEnded = true));
  for (const each of await Promise.all(first.map((each) => eventually(async () => (await isRefused(each.ask)) && { ...each })))) {
    expect(each.hasEnded).toBe(false);
  }
  for (const ask of [read, write]) expect(await isRefused(ask)).toBe(true);
  expect((await request('/known?resourceVersion=0'))?.status).toBe(200);
  await end();
  await eventually(async () => (await read())?.status === 200 && (await write())?.status === 201);
}

describe('a database that answers nothing', () => {
  const database = forAllTests(() => createTestDatabase());

  describe('behind a proxy that swallows everything', () => {
    const proxy = forAllTests(() => DatabaseProxy.start(database.url));
    const server = forAllTests(() => startServerProcess({ databaseUrl: proxy.url(database.url) }));

    test('is an outage after three seconds', async () => {
      await expectOutage(
        server.url,
        () => (proxy.mute = true),
        () => (proxy.mute = false),
      );
    }, 90_000);
  });
});

describeWith([PGBOUNCER], 'a PgBouncer whose connections others have', () => {
  const database = forAllTests(() => createTestDatabase());
  const bouncer = forAllTests(() => startPgBouncer(database.url, 'transaction', { poolSize: CONNECTIONS }));
  const server = forAllTests(() => startServerProcess({ databaseUrl: bouncer.url(database.url) }));

  test('is an outage after three seconds', async () => {
    const others = await Promise.all(Array.from({ length: 2 * CONNECTIONS }, () => connected(bouncer.url(database.url))));
    await expectOutage(
      server.url,
      () => Promise.all(others.slice(0, CONNECTIONS).map((client) => client.query('begin; select'))).then(() => undefined),
      () => Promise.all(others.map((client) => client.end())).then(() => undefined),
    );
  }, 90_000);
});
