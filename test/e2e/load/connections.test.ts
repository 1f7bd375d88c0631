import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { test as limited } from '@jest/globals';
import { HeldStore } from '../../support/held-store.js';
import { ask, Http2Client } from '../../support/http-client.js';
import { frame, ping, PREFACE, reset } from '../../support/http2-frames.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';
import { WatchClient } from '../../support/watch-client.js';

/** Less than the defaults of the timeouts that the tests shorten. */
const LIMIT_MS = 55_000;
const test = (name: string, run: () => Promise<void>) => limited(name, run, LIMIT_MS);

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const AUTHORIZATION = { authorization: 'Bearer alice-token' };

let server: TestServer;
let open: (net.Socket | Http2Client)[] = [];
afterEach(async () => {
  for (const each of open) {
    if (each instanceof net.Socket) each.destroy();
    else each.close();
  }
  open = [];
  await server.close();
});

async function connect(secure: boolean, protocol = 'http/1.1', localAddress = '127.0.0.1'): Promise<net.Socket> {
  const target = { port: server.port, host: '127.0.0.1', localAddress };
  const socket = secure ? tls.connect({ ...target, rejectUnauthorized: false, ALPNProtocols: [protocol] }) : net.connect(target);
  socket.on('error', () => undefined);
  open.push(socket);
  await once(socket, secure ? 'secureConnect' : 'connect');
  return socket;
}

function client(): Http2Client {
  const opened = new Http2Client(server.url);
  open.push(opened);
  return opened;
}

/** Resolves when the socket is closed. */
const closed = (socket: net.Socket): Promise<unknown> => (socket.closed ? Promise.resolve() : once(socket, 'close'));
/** A connection that an authenticated user has used. */
async function known(): Promise<Http2Client> {
  const opened = client();
  expect((await opened.ask(`${LEASES}/none`, { headers: AUTHORIZATION })).status).toBe(404);
  return opened;
}

describe('at the connection limit', () => {
  test('the anonymous connection that has gone longest without a request is closed, and a new client is served', async () => {
    server = await startTestServer({ settings: { maxConnections: 4, maxConnectionsPerAddress: 0 } });
    const user = await known();
    const [used, unused, halfOpen] = [client(), await connect(true, 'h2'), await connect(false)];
    await used.ask('/readyz', { headers: { authorization: '' } });
    expect((await ask(`${server.url}/readyz`)).status).toBe(200);
    await closed(unused.resume());
    expect((await ask(`${server.url}/readyz`)).status).toBe(200);
    expect(halfOpen.closed).toBe(false);
    expect((await user.ask('/readyz')).status).toBe(200);
    expect((await used.ask('/readyz')).status).toBe(200);
  });

  test('connections of authenticated clients stay; if there are no others, the new one is refused', async () => {
    server = await startTestServer({ settings: { maxConnections: 3, maxConnectionsPerAddress: 0 } });
    const users = [await known(), await known(), await known()];
    for (let i = 0; i < 5; i++) await expect(ask(`${server.url}/readyz`)).rejects.toThrow();
    for (const user of users) expect((await user.ask('/readyz')).status).toBe(200);
    users[0]?.close();
    for (;;) {
      const answer = await ask(`${server.url}/readyz`).catch(() => undefined);
      if (answer) return expect(answer.status).toBe(200);
    }
  });

  test('thousands of idle connections with pings keep no client out', async () => {
    server = await startTestServer({ settings: { maxConnections: 50, maxConnectionsPerAddress: 0 } });
    const user = await known();
    for (let i = 0; i < 500; i += 20) {
      const sockets = await Promise.all(Array.from({ length: 20 }, () => connect(true, 'h2').catch(() => undefined)));
      for (const socket of sockets) socket?.write(Buffer.concat([PREFACE, frame(4, 0, 0), ping()]));
      expect((await ask(`${server.url}/readyz`)).status).toBe(200);
    }
    expect((await user.ask('/readyz')).status).toBe(200);
    expect((await user.ask('/metrics')).text).toMatch(/^coordination_client_limits_total\{limit="connections"\} [45]\d\d$/m);
  });

  test('each address has its own limit', async () => {
    server = await startTestServer({ settings: { maxConnections: 100, maxConnectionsPerAddress: 2 } });
    const [first, second] = [await connect(true), await connect(true)];
    await connect(true, 'http/1.1', '127.0.0.2');
    expect([first.closed, second.closed]).toEqual([false, false]);
    await connect(true);
    await closed(first.resume());
    expect(second.closed).toBe(false);
  });
});

test('only requests keep an HTTP/2 connection from being idle', async () => {
  server = await startTestServer({ connections: { idleMs: 2000 } });
  const pinged = await connect(true, 'h2');
  pinged.resume().write(Buffer.concat([PREFACE, frame(4, 0, 0)]));
  const pings = setInterval(() => pinged.write(ping()), 20);
  const asking = client();
  const requests = setInterval(() => void asking.ask('/readyz').catch(() => undefined), 20);
  const watching = client();
  const watch = watching.session.request({ ':path': `${LEASES}?watch=1`, ...AUTHORIZATION });
  await once(watch, 'response');
  await closed(pinged);
  clearInterval(pings);
  clearInterval(requests);
  expect((await asking.ask('/readyz')).status).toBe(200);
  expect(watch.closed).toBe(false);
});

test('half-open connections are bounded: the oldest is closed', async () => {
  server = await startTestServer();
  const first = await connect(false);
  const gone = once(first, 'close');
  await Promise.all(Array.from({ length: 1000 }, () => connect(false)));
  await gone;
  expect((await ask(`${server.url}/readyz`)).status).toBe(200);
});

test('a server stops although connections are stuck in handshakes, headers, bodies and streams', async () => {
  const store = new HeldStore();
  server = await startTestServer({ store, shutdownGraceMs: 300 });
  await connect(false);
  (await connect(false)).write(Buffer.from([22, 3, 1]));
  await connect(true);
  await connect(true, 'h2');
  (await connect(true)).write('GET /readyz HTTP/1.1\r\nHost: ');
  (await connect(true)).write(`POST ${LEASES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nContent-Length: 100\r\n\r\n{`);
  (await connect(true, 'h2')).write('PRI * HTTP/2.0\r\n\r\nSM');
  const { session } = client();
  session.request({ ':method': 'POST', ':path': LEASES, ...AUTHORIZATION }, { endStream: false }).on('error', () => undefined);
  session.request({ ':path': `${LEASES}?watch=1`, ...AUTHORIZATION }).on('error', () => undefined);
  await new WatchClient(`${server.url}${LEASES}?watch=1`, 'alice-token').response;
  await server.close();
});

test('a request whose body does not arrive ends at its timeout, over either protocol', async () => {
  server = await startTestServer({ settings: { requestTimeout: 300 } });
  const socket = await connect(true);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  socket.write(`POST ${LEASES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nContent-Length: 100\r\n\r\n{`);
  const stream = client().session.request({ ':method': 'POST', ':path': LEASES, ...AUTHORIZATION }, { endStream: false });
  stream.write('{');
  const ends = [once(stream.resume(), 'close'), once(socket, 'close')];
  const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
  expect(headers[':status']).toBe(504);
  await Promise.all(ends);
  expect(heard).toMatch(/^HTTP\/1.1 504 /);
  expect(heard).toMatch(/^connection: close/im);
});

test("a response that its client does not read is cut off at the request's timeout", async () => {
  server = await startTestServer({ settings: { requestTimeout: 3000 } });
  const admin = client();
  const annotations = { big: 'x'.repeat(250_000) };
  for (let i = 0; i < 40; i++) {
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: `big-${i}`, annotations } };
    expect((await admin.ask(LEASES, { method: 'POST', body })).status).toBe(201);
  }
  const socket = await connect(true);
  socket.write(`GET ${LEASES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice-token\r\n\r\n`);
  await once(socket, 'readable');
  // The request below times out after the one above.
  const stream = admin.session.request({ ':path': LEASES, ...AUTHORIZATION });
  await once(stream, 'error');
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await once(socket, 'close');
  expect(bytes).toBeLessThan(40 * 250_000);
});

test('a client that keeps resetting its streams loses its connection, and others are unaffected', async () => {
  const log: string[] = [];
  server = await startTestServer({ log });
  const socket = await connect(true, 'h2');
  let closed = false;
  socket.on('close', () => (closed = true)).resume();
  socket.write(Buffer.concat([PREFACE, frame(4, 0, 0)]));
  for (let stream = 1; !closed; stream += 2) {
    expect(stream).toBeLessThan(10_000);
    // GET https://x/ as a complete request, then CANCEL.
    socket.write(Buffer.concat([frame(1, 5, stream, [0x82, 0x87, 0x84, 0x41, 1, 120]), reset(stream)]));
    if (stream % 100 === 1) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect((await ask(`${server.url}/readyz`)).status).toBe(200);
  expect(log).toEqual([]);
});

test('a client may not open more streams than the settings allow', async () => {
  server = await startTestServer({ settings: { http2MaxStreamsPerConnection: 7 } });
  const { session } = client();
  await once(session, 'remoteSettings');
  expect(session.remoteSettings.maxConcurrentStreams).toBe(7);
});

test('with a goaway chance, HTTP/2 clients are asked to reconnect after a response, which arrives complete', async () => {
  server = await startTestServer({ connections: { goawayChance: 1 } });
  const leaving = client();
  const goaway = once(leaving.session, 'goaway');
  const answers = await Promise.all(Array.from({ length: 20 }, () => leaving.ask(LEASES, { headers: AUTHORIZATION })));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  await goaway;
  await once(leaving.session, 'close');
  expect((await ask(server.url + LEASES)).status).toBe(200);
});

test("a user's watches are limited; those of system:masters are not", async () => {
  server = await startTestServer({ settings: { maxWatchesPerUser: 2 } });
  const { session } = client();
  const watch = (token: string) => session.request({ ':path': `${LEASES}?watch=1`, authorization: `Bearer ${token}` });
  const status = async (stream: ReturnType<typeof watch>) => ((await once(stream, 'response')) as [{ ':status': number }])[0][':status'];
  const first = watch('alice-token');
  expect(await status(first)).toBe(200);
  expect(await status(watch('alice-token'))).toBe(200);
  expect(await status(watch('alice-token'))).toBe(429);
  expect(await status(watch('bob-token'))).toBe(200);
  for (let i = 0; i < 5; i++) expect(await status(watch('admin-token'))).toBe(200);
  first.close();
  while ((await status(watch('alice-token'))) === 429) await new Promise((resolve) => setTimeout(resolve, 5));
});
