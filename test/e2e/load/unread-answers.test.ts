import { once } from 'node:events';
import { ask, Http2Client } from '../../support/http-client.js';
import { testOwnHttp2 } from '../../support/http2-implementation.js';
import { openTls } from '../../support/open-tls.js';
import { metricSum, scrape, scrapeUntil } from '../../support/scrape.js';
import { type TestServer, type TestServerOptions, startTestServer } from '../../support/test-server.js';
import { Type } from '../../support/http2-frames.js';
import { WithholdingClient } from '../../support/withholding-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const NODE_LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const STREAMS = 100;
const CANCEL = 8;

let server: TestServer;
let clients: WithholdingClient[] = [];
afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await server.close();
});

const TOKENS = [
  'carol-token,carol,carol',
  'node-a-token,system:node:a,node-a,system:nodes',
  'node-b-token,system:node:b,node-b,system:nodes',
  'node-c-token,system:node:c,node-c,system:nodes',
];

/** A server on which alice and bob have no rights and all other users have all rights. */
async function start({ settings, ...options }: TestServerOptions = {}): Promise<void> {
  const authorizer = { authorize: ({ name }: { name: string }) => ({ allowed: name !== 'alice' && name !== 'bob' }) };
  server = await startTestServer({ tokens: TOKENS, authorizer, settings: { anonymousAuth: false, ...settings }, ...options });
}

/** Opens connections, each with the maximum of requests, and resolves when all responses have begun. */
async function withhold(token: string, path: string, connections: number): Promise<void> {
  const opened = await Promise.all(Array.from({ length: connections }, () => WithholdingClient.to(server.port)));
  clients.push(...opened);
  for (const client of opened) client.get(path, token, STREAMS);
  await Promise.all(opened.map((client) => client.frames(Type.HEADERS, STREAMS)));
}

/** Creates a lease and renews it; returns the status codes. */
async function holdLease(token: string, leases: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}` };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'held' }, spec: { holderIdentity: 'a' } };
  const created = await ask(server.url + leases, { method: 'POST', headers, body: lease });
  const renewed = await ask(`${server.url}${leases}/held`, { method: 'PUT', headers, body: created.json });
  const read = await ask(`${server.url}${leases}/held`, { headers });
  return [created.status, renewed.status, read.status];
}

const seatsInUse = () => metricSum(server.url, 'apiserver_flowcontrol_current_executing_seats');

describe('while clients leave responses unread', () => {
  test('responses to users without rights take no seats, and others renew their leases', async () => {
    await start();
    await withhold('alice-token', `${LEASES}/held`, 4);
    await withhold('bob-token', `${LEASES}/held`, 4);
    expect(await holdLease('carol-token', LEASES)).toEqual([201, 200, 200]);
    expect(await seatsInUse()).toBe(0);
  });

  test('responses to nodes leave seats to other nodes', async () => {
    await start();
    await withhold('node-a-token', NODE_LEASES, 4);
    await withhold('node-b-token', NODE_LEASES, 4);
    expect(await holdLease('node-c-token', NODE_LEASES)).toEqual([201, 200, 200]);
    expect(await seatsInUse()).toBe(0);
  });

  test('responses to unauthenticated clients affect no one else', async () => {
    await start();
    await withhold('', LEASES, 8);
    expect(await holdLease('carol-token', LEASES)).toEqual([201, 200, 200]);
  });

  test('the two request limits are released as well without priority and fairness', async () => {
    await start({ settings: { enablePriorityAndFairness: false, maxRequestsInflight: 20, maxMutatingRequestsInflight: 20 } });
    await withhold('node-a-token', LEASES, 1);
    expect(await holdLease('carol-token', LEASES)).toEqual([201, 200, 200]);
  });
});

describe('a response that its client does not read', () => {
  const clientTimeouts = { stallMs: 400, silenceMs: 60_000, pingMs: 60_000 };

  /** Creates leases of 10 MB in total, more than all buffers on the way hold. */
  async function makeLeases(): Promise<void> {
    using admin = new Http2Client(server.url);
    const annotations = { big: 'x'.repeat(250_000) };
    for (let i = 0; i < 40; i++) {
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: `big-${i}`, annotations } };
      expect((await admin.ask(LEASES, { method: 'POST', body })).status).toBe(201);
    }
  }

  test('is reset over HTTP/2, and the connection stays open', async () => {
    await start({ connections: { clientTimeouts } });
    const client = await WithholdingClient.to(server.port);
    clients.push(client);
    client.get(LEASES, 'carol-token', STREAMS);
    const resets = await client.frames(Type.RST_STREAM, STREAMS);
    expect(resets.map(({ payload }) => payload.readUInt32BE(0))).toEqual(Array<number>(STREAMS).fill(CANCEL));
    client.get(LEASES, 'carol-token');
    expect(await client.frames(Type.HEADERS, STREAMS + 1)).toHaveLength(STREAMS + 1);
    expect(await scrape(server.url, 'coordination_client_limits_total{limit="stalled"}')).toEqual([
      `coordination_client_limits_total{limit="stalled"} ${STREAMS}`,
    ]);
  });

  testOwnHttp2('is not reset while its client takes it slowly', async () => {
    await start({ connections: { clientTimeouts } });
    await makeLeases();
    const client = await WithholdingClient.to(server.port, 1);
    clients.push(client);
    const [stream = 0] = client.get(LEASES, 'carol-token');
    const update = Buffer.from([0, 0, 0, 1]);
    for (const begun = performance.now(); performance.now() - begun < 4 * clientTimeouts.stallMs;) {
      await new Promise((resolve) => setTimeout(resolve, clientTimeouts.stallMs / 4));
      client.send(Type.WINDOW_UPDATE, 0, stream, update);
    }
    expect(client.heard.filter(({ type }) => type === Type.RST_STREAM)).toEqual([]);
    expect(await client.frames(Type.RST_STREAM, 1)).toHaveLength(1);
  });

  testOwnHttp2('ends the connection where the client reads none of its bytes, over either protocol', async () => {
    await start({ connections: { clientTimeouts } });
    await makeLeases();
    const client = await WithholdingClient.to(server.port, 2 ** 31 - 1);
    clients.push(client);
    client.pause();
    client.send(Type.WINDOW_UPDATE, 0, 0, Buffer.from([0x7f, 0, 0, 0]));
    client.get(LEASES, 'carol-token', 10);
    const socket = await openTls(server.port);
    socket.write(`GET ${LEASES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer carol-token\r\n\r\n`.repeat(10));
    const closed = once(socket, 'close');
    await scrapeUntil(server.url, 'coordination_client_limits_total{limit="stalled"} 2');
    socket.resume();
    await closed;
  });

  test('of a watch may wait, since its backlog is bounded', async () => {
    await start({ connections: { clientTimeouts } });
    const client = await WithholdingClient.to(server.port);
    clients.push(client);
    const [stream = 0] = client.get(`${LEASES}?watch=1`, 'carol-token');
    await client.frames(Type.HEADERS, 1);
    expect(await holdLease('carol-token', LEASES)).toEqual([201, 200, 200]);
    await new Promise((resolve) => setTimeout(resolve, 3 * clientTimeouts.stallMs));
    client.send(Type.WINDOW_UPDATE, 0, stream, Buffer.from([0, 1, 0, 0]));
    const [data] = await client.frames(Type.DATA, 1);
    expect(String(data?.payload)).toContain('"type":"ADDED"');
  });
});

describe('unsent bytes are charged', () => {
  const MIB = 1024 * 1024;
  const settings = { maxHeldBytesPerConnection: 4 * MIB, maxHeldBytesPerUser: 8 * MIB, maxHeldBytes: 64 * MIB };
  const clientTimeouts = { stallMs: 60_000, silenceMs: 60_000, pingMs: 60_000 };

  const heldBytes = (kind: string) => metricSum(server.url, 'coordination_held_bytes', `kind="${kind}"`);

  async function untilHeld(kind: string, wanted: (bytes: number) => boolean): Promise<void> {
    while (!wanted(await heldBytes(kind))) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async function makeLease(bytes: number): Promise<void> {
    const metadata = { name: 'big', annotations: { big: 'x'.repeat(bytes) } };
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
    expect((await ask(server.url + LEASES, { method: 'POST', body })).status).toBe(201);
  }

  async function withholding(): Promise<WithholdingClient> {
    const client = await WithholdingClient.to(server.port);
    clients.push(client);
    return client;
  }

  test('to their connection, and beyond its limit they are not kept', async () => {
    await start({ settings, connections: { clientTimeouts } });
    await makeLease(200_000);
    const client = await withholding();
    client.get(`${LEASES}/big`, 'carol-token', 50);
    const resets = await client.frames(Type.RST_STREAM, 50 - 20);
    expect(resets.length).toBeLessThan(35);
    expect(await heldBytes('responses')).toBeLessThan(settings.maxHeldBytesPerConnection);
    expect(await heldBytes('responses')).toBeGreaterThan(settings.maxHeldBytesPerConnection / 2);
    client.close();
    await untilHeld('responses', (bytes) => bytes === 0);
  });

  test('to their user, who is refused while many responses are unread; other users are served', async () => {
    await start({ settings, connections: { clientTimeouts } });
    await makeLease(200_000);
    for (const client of [await withholding(), await withholding()]) {
      client.get(`${LEASES}/big`, 'carol-token', 14);
      await client.frames(Type.HEADERS, 14);
    }
    const status = async (token: string) => (await ask(`${server.url}${LEASES}/big`, { headers: { authorization: token } })).status;
    expect(await status('Bearer carol-token')).toBe(429);
    expect(await status('Bearer node-a-token')).toBe(200);
    expect(await status('Bearer admin-token')).toBe(200);
    for (const client of clients) client.close();
    while ((await status('Bearer carol-token')) === 429) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test('also for a watch, until it ends', async () => {
    await start({ settings, connections: { clientTimeouts } });
    const client = await withholding();
    client.get(`${LEASES}?watch=1`, 'carol-token');
    await client.frames(Type.HEADERS, 1);
    await makeLease(200_000);
    await untilHeld('watches', (bytes) => bytes > 200_000);
    expect(await heldBytes('responses')).toBe(0);
    client.close();
    await untilHeld('watches', (bytes) => bytes === 0);
  });

  test('also in an unread HTTP/1.1 socket, for one response, since later ones have not begun', async () => {
    await start({ connections: { clientTimeouts: { ...clientTimeouts, pingMs: 200 } } });
    await makeLease(200_000);
    const socket = await openTls(server.port);
    socket.write(`GET ${LEASES}/big HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer carol-token\r\n\r\n`.repeat(90));
    await untilHeld('responses', (bytes) => bytes > 100_000);
    expect(await heldBytes('responses')).toBeLessThan(400_000);
    socket.destroy();
    await untilHeld('responses', (bytes) => bytes === 0);
  });
});
