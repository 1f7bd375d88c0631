import { HeldStore } from '../../support/held-store.js';
import { type Answer, Http2Client } from '../../support/http-client.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const ALICE = { authorization: 'Bearer alice-token' };
const BOB = { authorization: 'Bearer bob-token' };

let store: HeldStore;
let server: TestServer;
let client: Http2Client;
let created = 0;

async function start(enablePriorityAndFairness: boolean, maxRequestsInflight: number, maxMutatingRequestsInflight: number): Promise<void> {
  store = new HeldStore();
  const limits = { enablePriorityAndFairness, maxRequestsInflight, maxMutatingRequestsInflight };
  server = await startTestServer({ store, settings: { ...limits, anonymousAuth: false, http2MaxStreamsPerConnection: 2000 } });
  client = new Http2Client(server.url);
}

afterEach(async () => {
  store.release();
  client.close();
  await server.close();
});

/** Creates a lease; the store holds it back. */
function create(headers: Record<string, string>): Promise<Answer> {
  const metadata = { name: `lease-${created++}` };
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: {} };
  return client.ask(LEASES, { method: 'POST', headers, body });
}

async function held(count: number): Promise<void> {
  while (store.count < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

function expectTooMany({ status, headers, text }: Answer): void {
  expect([status, text]).toEqual([429, 'Too many requests, please try again later.\n']);
  expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
}

test('with priority and fairness, requests beyond the seats are queued, and a full queue rejects', async () => {
  // leader-election has six seats of twenty.
  await start(true, 10, 10);
  const first = Array.from({ length: 30 }, () => create(ALICE));
  await held(4);
  const bobs = create(BOB);
  await held(5);
  const more = Array.from({ length: 1700 }, () => create(ALICE));
  const rejected = await Promise.race(more);
  expectTooMany(rejected);
  const { headers } = await client.ask(LEASES, { headers: ALICE });
  expect(rejected.headers['x-kubernetes-pf-prioritylevel-uid']).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers['x-kubernetes-pf-prioritylevel-uid']).not.toBe(rejected.headers['x-kubernetes-pf-prioritylevel-uid']);
  store.release();
  expect((await bobs).status).toBe(201);
  const statuses = (await Promise.all([...first, ...more])).map(({ status }) => status);
  expect(statuses.slice(0, 30).every((status) => status === 201)).toBe(true);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(1600);
});

test('without it, requests beyond the limit are rejected at once, except those of system:masters', async () => {
  await start(false, 10, 2);
  const held2 = [create(ALICE), create(BOB)];
  await held(2);
  const rejected = await create(ALICE);
  expectTooMany(rejected);
  expect(rejected.headers['x-kubernetes-pf-flowschema-uid']).toBeUndefined();
  expect((await client.ask(LEASES, { headers: ALICE })).status).toBe(200);
  const admins = create({});
  await held(3);
  store.release();
  expect((await Promise.all([...held2, admins])).map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await create(ALICE)).status).toBe(201);
});

test('a client that gives up does not free the seats of requests in progress', async () => {
  await start(false, 10, 1);
  const impatient = new Http2Client(server.url);
  const stream = impatient.session.request({ ':method': 'POST', ':path': LEASES, 'content-type': 'application/json', ...ALICE });
  stream.on('error', () => undefined);
  stream.end(JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'given-up' } }));
  await held(1);
  impatient.close();
  expectTooMany(await create(BOB));
  store.release();
  let status = 429;
  while (status === 429) ({ status } = await create(BOB));
  expect(status).toBe(201);
});
