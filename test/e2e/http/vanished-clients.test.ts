import http2 from 'node:http2';
import https from 'node:https';
import { forAllTests } from '../../support/for-tests.js';
import { WatchedMemoryStore } from '../../support/watched-memory-store.js';
import type { ObjectStore } from '../../../src/storage/object-store.js';
import { ask } from '../../support/http-client.js';
import { withMethods } from '../../support/with-methods.js';
import { startTestServer } from '../../support/test-server.js';

const NAMESPACES = '/api/v1/namespaces';
const HEADERS = { authorization: 'Bearer admin-token', 'content-type': 'application/json' };

/** Called when a write has reached the store, which waits for the promise before it goes on. */
let arrived: () => Promise<void> = () => Promise.resolve();
let settled: Promise<unknown>;

const server = forAllTests(() => {
  const memory = new WatchedMemoryStore();
  const store = withMethods<ObjectStore>(memory, {
    create: (...args) => {
      const created = arrived().then(() => memory.create(...args));
      settled = created;
      return created;
    },
  });
  return startTestServer({ store });
});
afterEach(async () => {
  arrived = () => Promise.resolve();
  expect((await ask(`${server.url}/readyz`)).status).toBe(200);
});

/** Sends a create and disconnects once it has reached the store, which then refuses it; no client waits for the answer any more. */
async function vanishDuring(send: (body: string) => () => void): Promise<void> {
  const reached = new Promise<void>((resolve) => {
    arrived = () => {
      resolve();
      return new Promise((done) => setTimeout(done, 100)); // long enough for the server to notice that the connection has ended
    };
  });
  const vanish = send(JSON.stringify({ metadata: { generateName: 'vanished-' } }));
  await reached;
  vanish();
  await expect(settled).rejects.toMatchObject({ code: 'Abandoned' });
  await new Promise((resolve) => setImmediate(resolve));
}

test('a client that vanishes before its HTTP/2 response does not harm the server', async () => {
  for (const destroy of ['session', 'stream'] as const) {
    await vanishDuring((body) => {
      const session = http2.connect(server.url, { rejectUnauthorized: false });
      const stream = session.request({ ':method': 'POST', ':path': NAMESPACES, ...HEADERS });
      for (const each of [session, stream]) each.on('error', () => undefined);
      stream.end(body);
      return () => {
        if (destroy === 'session') session.destroy();
        else stream.close(http2.constants.NGHTTP2_CANCEL, () => session.destroy());
      };
    });
  }
});

test('a client that vanishes before its HTTP/1.1 response does not harm the server', async () => {
  await vanishDuring((body) => {
    const request = https.request(server.url + NAMESPACES, { method: 'POST', headers: HEADERS, rejectUnauthorized: false, agent: false });
    request.on('error', () => undefined);
    request.end(body);
    return () => void request.destroy();
  });
});
