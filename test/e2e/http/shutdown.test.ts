import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { HeldStore } from '../../support/held-store.js';
import { ask, Http2Client } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';
import { WatchClient } from '../../support/watch-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const BODY = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec: {} };

test('close ends watches cleanly, lets requests finish and accepts no new ones', async () => {
  const store = new HeldStore();
  const server = await startTestServer({ store });
  const watch = new WatchClient(`${server.url}${LEASES}?watch=true&resourceVersion=0`);
  await watch.response;
  const h1 = ask(server.url + LEASES, { method: 'POST', body: BODY });
  const client = new Http2Client(server.url);
  const h2 = client.ask(LEASES, { method: 'POST', body: { ...BODY, metadata: { name: 'b' } } });
  await store.arrived;

  const closed = server.close();
  await watch.ended;
  await expect(ask(`${server.url}/readyz`)).rejects.toThrow();
  store.release();
  expect([(await h1).status, (await h2).status]).toEqual([201, 201]);
  await closed;
});

test('a request on a kept connection that was sent before the client knows of the shutdown is served, and the connection ends', async () => {
  const server = await startTestServer();
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 1 });
  const get = async (): Promise<IncomingMessage> => {
    const [answer] = (await once(https.get(`${server.url}/readyz`, { agent }), 'response')) as [IncomingMessage];
    await text(answer);
    return answer;
  };
  const client = new Http2Client(server.url);
  expect([(await get()).headers.connection, (await client.ask(LEASES)).status]).toEqual(['keep-alive', 200]);
  const closed = server.close();
  const [http1, http2] = await Promise.all([get(), client.ask(LEASES)]);
  expect([http1.headers.connection, http2.status]).toEqual(['close', 200]);
  client.close();
  await closed;
});

test('requests that exceed the grace period are cut off', async () => {
  const store = new HeldStore();
  const server = await startTestServer({ store, shutdownGraceMs: 50 });
  const stuck = ask(server.url + LEASES, { method: 'POST', body: BODY });
  const cut = expect(stuck).rejects.toThrow();
  await store.arrived;
  await server.close();
  await cut;
});

test('a request that exceeds its timeout is a 504', async () => {
  const store = new HeldStore();
  await using server = await startTestServer({ store });
  const { status, json } = await ask(`${server.url}${LEASES}?timeout=200ms`, { method: 'POST', body: BODY });
  expect([status, json.reason]).toEqual([504, 'Timeout']);
  expect(json.message).toBe('Timeout: request did not complete within requested timeout - context deadline exceeded');
  store.release();
});

test('an invalid timeout is a 400, before authentication', async () => {
  await using server = await startTestServer();
  const { status, json } = await ask(`${server.url}${LEASES}?timeout=abc`, { headers: { authorization: '' } });
  expect(status).toBe(400);
  expect(json.message).toBe('invalid timeout specified in the request URL - time: invalid duration "abc"');
});

test.each(Object.entries({ NO_ERROR: 0, PROTOCOL_ERROR: 1, INTERNAL_ERROR: 2, CANCEL: 8, ENHANCE_YOUR_CALM: 11 }))(
  'a client that resets its streams with %s does not affect others',
  async (_, code) => {
    const log: string[] = [];
    const store = new HeldStore();
    const server = await startTestServer({ store, log });
    const client = new Http2Client(server.url);
    const headers = { authorization: 'Bearer admin-token' };
    const watch = client.session.request({ ':path': `${LEASES}?watch=true`, ...headers });
    const half = client.session.request({ ':path': LEASES, ':method': 'POST', ...headers }, { endStream: false });
    const full = client.session.request({ ':path': LEASES, ':method': 'POST', 'content-type': 'application/json', ...headers });
    full.end(JSON.stringify(BODY));
    half.write('{"kind":');
    await Promise.all([store.arrived, new Promise((resolve) => watch.on('response', resolve))]);
    const gone = [watch, half, full].map((stream) => new Promise((resolve) => stream.on('error', () => undefined).on('close', resolve)));
    for (const stream of [watch, half, full]) stream.close(code);
    await Promise.all(gone);
    store.release();
    expect((await ask(`${server.url}/readyz`)).status).toBe(200);
    client.close();
    await server.close();
    expect(log).toEqual([]);
  },
);
