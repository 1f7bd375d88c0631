import { once } from 'node:events';
import http2, { type ClientHttp2Session } from 'node:http2';
import pg from 'pg';
import { InspectedProcess } from '../../fuzz/cost/inspected-process.js';
import { eventually } from '../../support/eventually.js';
import { metricSum } from '../../support/scrape.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { storeUrl } from '../../support/store-url.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const HELD = 1000;
const CONNECTIONS = 20;

let server: ServerProcess;
let inspected: InspectedProcess;
let sessions: ClientHttp2Session[];
beforeEach(async () => {
  const flags = ['--max-held-bytes=0', '--max-held-bytes-per-user=0'];
  server = await startServerProcess({ nodeFlags: ['--inspect=127.0.0.1:0'], flags, store: 'postgres' });
  inspected = await InspectedProcess.connect(/Debugger listening on (ws:\S+)/.exec(server.output())?.[1] ?? '');
  sessions = Array.from({ length: CONNECTIONS }, () =>
    http2.connect(server.url, { rejectUnauthorized: false }).on('error', () => undefined),
  );
  await Promise.all(sessions.map((session) => once(session, 'remoteSettings')));
});
afterEach(async () => {
  for (const session of sessions) session.destroy();
  inspected.close();
  await server.stop();
});

const list = (count: number, part: (at: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, at) => part(at)).join(separator);

/** Queries of watches that differ, as engines share what is equal. */
const WATCHES: Readonly<Record<string, (watch: number) => string>> = {
  'without selectors': () => '',
  'with labels': (watch) => `&labelSelector=${list(40, (at) => `k${watch}-${at}=v${at}`)}`,
  'with excluded labels': (watch) => `&labelSelector=${list(40, (at) => `!k${watch}-${at}`)}`,
  'with a set of values': (watch) => `&labelSelector=a in (${list(40, (at) => `v${watch}-${at}`)})`,
  'with excluded names': (watch) => `&fieldSelector=${list(40, (at) => `metadata.name!=n${watch}-${at}`)}`,
  'with shards': (watch) =>
    `&shardSelector=${list(20, (at) => `shardRange(object.metadata.uid,'0x${watch.toString(16)}','0x1${at}${watch.toString(16)}')`, '||')}`,
};

async function figures(): Promise<{ readonly heap: number; readonly ledger: number }> {
  const ledger = await metricSum(server.url, 'coordination_held_bytes');
  await inspected.collectGarbage();
  return { heap: (await inspected.usage())?.bytes ?? 0, ledger };
}

function send(index: number, path: string, method: string, body = ''): Promise<unknown> {
  const stream = sessions[index % CONNECTIONS]!.request({
    ':method': method,
    ':path': encodeURI(path),
    authorization: 'Bearer admin-token',
    'content-type': 'application/json',
  });
  stream.on('error', () => undefined).resume();
  if (method !== 'GET') stream.end(body);
  return once(stream, 'response').then(([headers]) => (headers as Record<string, unknown>)[':status']);
}

/** The ledger must not count much less than the heap has, and not several times as much. */
function expectAgreement(before: { heap: number; ledger: number }, after: { heap: number; ledger: number }): void {
  const heap = after.heap - before.heap;
  const ledger = after.ledger - before.ledger;
  console.info(`${Math.round(heap / HELD)} bytes of heap each, ${Math.round(ledger / HELD)} in the ledger`);
  expect(ledger).toBeGreaterThan(0.8 * heap);
  expect(ledger).toBeLessThan(5 * heap);
}

test.each(Object.entries(WATCHES))('watches %s are charged what they take', async (_name, query) => {
  const watch = (index: number) => send(index, `${LEASES}?watch=1&resourceVersion=0${query(index)}`, 'GET');
  // Compiles what the first watches need.
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, at) => watch(at)));
  const before = await figures();
  const answers = await Promise.all(Array.from({ length: HELD }, (_, at) => watch(CONNECTIONS + at)));
  expect(answers).toEqual(Array(HELD).fill(200));
  expectAgreement(before, await figures());
});

/** Metadata of leases, other than their names. */
const BODIES: Readonly<Record<string, (lease: number) => object>> = {
  'with labels': (lease) => ({
    labels: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`label-${lease}-${at}`, `value-${at}`])),
  }),
  'with finalizers': (lease) => ({ finalizers: Array.from({ length: 100 }, (_, at) => `example.com/${lease}-${at}`) }),
  'with a long text': (lease) => ({ annotations: { text: `${lease} ${'x'.repeat(10_000)}` } }),
};

test.each(Object.entries(BODIES))('writes %s that wait for the database are charged what they take', async (_name, metadata) => {
  const database = new pg.Client(storeUrl(server.databaseUrl));
  await database.connect();
  await database.query('begin; select * from revision_counter for update');
  const before = await figures();
  const lease = (at: number) =>
    JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: `n-${at}`, ...metadata(at) } });
  const answers = Array.from({ length: HELD }, (_, at) => send(at, LEASES, 'POST', lease(at)));
  await eventually(async () => (await metricSum(server.url, 'coordination_open_streams')) >= HELD);
  const after = await figures();
  await database.end();
  expect(await Promise.all(answers)).toEqual(Array(HELD).fill(201));
  expectAgreement(before, after);
});
