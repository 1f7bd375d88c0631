import http2 from 'node:http2';
import https from 'node:https';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { ObjectStore } from '../../../src/storage/object-store.js';
import { ask } from '../../support/http-client.js';
import type { TestServer } from '../../support/test-server.js';
import { startTestServer } from '../../support/test-server.js';

const NAMESPACES = '/api/v1/namespaces';
const HEADERS = { authorization: 'Bearer admin-token', 'content-type': 'application/json' };

let server: TestServer;
/** Called when a write has arrived at the store, which then waits for what it answers. */
let arrived: () => Promise<void> = () => Promise.resolve();
let settled: Promise<unknown>;

beforeAll(async () => {
  const memory = new MemoryStore();
  const store = new Proxy<ObjectStore>(memory, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'create') return value.bind(target) as unknown;
      return (...args: unknown[]) => {
        const created = arrived().then((): unknown => Reflect.apply(value, target, args));
        settled = created;
        return created;
      };
    },
  });
  server = await startTestServer({ store });
});
afterAll(() => server.close());
afterEach(async () => {
  arrived = () => Promise.resolve();
  expect((await ask(`${server.url}/readyz`)).status).toBe(200);
});

/** Sends a create, and goes away when it has reached the store, which then refuses it: nobody waits for it any more. */
async function vanishDuring(send: (body: string) => () => void): Promise<void> {
  const reached = new Promise<void>((resolve) => {
    arrived = () => {
      resolve();
      return new Promise((done) => setTimeout(done, 100)); // long enough for the server to see the connection end
    };
  });
  const vanish = send(JSON.stringify({ metadata: { generateName: 'vanished-' } }));
  await reached;
  vanish();
  await expect(settled).rejects.toMatchObject({ code: 'Abandoned' });
  await new Promise((resolve) => setImmediate(resolve));
}

test('a client that vanishes before its answer over HTTP/2 takes nothing with it', async () => {
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

test('and over HTTP/1.1', async () => {
  await vanishDuring((body) => {
    const request = https.request(server.url + NAMESPACES, { method: 'POST', headers: HEADERS, rejectUnauthorized: false, agent: false });
    request.on('error', () => undefined);
    request.end(body);
    return () => void request.destroy();
  });
});
