import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { Kubectl } from '../../clients/kubectl-program.js';
import { describeWith, KUBECTL } from '../../clients/toolchain.js';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { eventually } from '../../support/eventually.js';
import { ask } from '../../support/http-client.js';
import { scrape } from '../../support/scrape.js';
import { startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
/** A refusal takes milliseconds; waiting for the database would take ten seconds. */
const AT_ONCE_MS = 5_000;
const OK = 200;
const NOT_HELD = 'coordination_leases_refused_and_not_held';
const UNAVAILABLE_CODE = 503;
const UNAVAILABLE = 'against leases.coordination.k8s.io could not be completed: the database is unavailable, please try again later.';

const database = forAllTests(() => createTestDatabase());
const proxy = forAllTests(() => DatabaseProxy.start(database.url));
const server = forAllTests(() => startServerProcess({ databaseUrl: proxy.url(database.url) }));
const kubectl = forAllTests(() => Kubectl.of(server.dataDir));

const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: 'x' } });
const create = (name: string) => ask(`${server.url}${LEASES}`, { method: 'POST', body: lease(name) });
const list = (query = '') => ask(`${server.url}${LEASES}${query}`);
const timed = async <T>(work: () => Promise<T>) => {
  const began = performance.now();
  return { result: await work(), tookMs: performance.now() - began };
};

test('a known outage is refused at once, and what the cache has is served', async () => {
  expect((await create('before')).status).toBe(201);
  expect((await ask(`${server.url}${LEASES}`, { method: 'POST', body: lease('My_Lease') })).status).toBe(422);
  expect(await scrape(server.url, NOT_HELD)).toEqual([`${NOT_HELD}{cause="WrongName"} 1`]);
  proxy.refuse();
  // Requests at the beginning wait; the first one that is refused at once shows that the outage is known.
  await Promise.all([
    eventually(async () => (await list()).headers['retry-after']?.includes('GMT')),
    eventually(async () => (await create('during')).headers['retry-after']?.includes('GMT')),
  ]);
  for (const [verb, request] of [
    ['list', () => list()],
    ['create', () => create('during')],
    ['get', () => list('/before')],
  ] as const) {
    const { result, tookMs } = await timed(request);
    expect([result.status, result.json.reason, result.json.message]).toEqual([
      UNAVAILABLE_CODE,
      'ServiceUnavailable',
      `The ${verb} operation ${UNAVAILABLE}`,
    ]);
    expect(tookMs).toBeLessThan(AT_ONCE_MS);
    const again = Date.parse(String(result.headers['retry-after'])) - Date.now();
    expect(again).toBeLessThanOrEqual(2_000);
  }
  expect((await list('?resourceVersion=0')).status).toBe(OK);
  expect((await list('/before?resourceVersion=0')).status).toBe(OK);
});

test('metrics are served in an outage, with leases as the cache has them', async () => {
  expect(await scrape(server.url, NOT_HELD)).toEqual([`${NOT_HELD}{cause="WrongName"} 1`]);
  expect(await scrape(server.url, 'coordination_refusals_held_bytes')).toHaveLength(1);
});

describeWith([KUBECTL], 'kubectl', () => {
  test.each([
    ['get', ['get', 'leases'], 'list'],
    ['create', ['create', '-f', '-'], 'create'],
  ])('kubectl %s ends with the reason instead of repeating', async (_, args, verb) => {
    const input = JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease('during') });
    const { result, tookMs } = await timed(() => kubectl.run(args, { input }));
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(`The ${verb} operation ${UNAVAILABLE}`);
    // Repeating takes twenty seconds and more.
    expect(tookMs).toBeLessThan(15_000);
  });
});

test('requests succeed again soon after the database is back', async () => {
  proxy.open();
  const opened = performance.now();
  await Promise.all([
    eventually(async () => (await list()).status === OK),
    eventually(async () => [201, 409].includes((await create('after')).status)),
  ]);
  expect(performance.now() - opened).toBeLessThan(AT_ONCE_MS);
  expect(server.output()).toContain('the database is unavailable: requests that need it wait');
});

test('a server that stops during an outage logs nothing more about it', async () => {
  const stopped = await startServerProcess({ databaseUrl: proxy.url(database.url) });
  proxy.refuse();
  await eventually(() => stopped.output().includes('the database is unavailable'));
  await eventually(async () => (await ask(`${stopped.url}${LEASES}`)).status === UNAVAILABLE_CODE);
  const before = stopped.output().length;
  await stopped.stop();
  proxy.open();
  expect(stopped.output().slice(before)).not.toContain('database');
});
