import { get as request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { ask } from '../../support/http-client.js';
import { type TestServer, type TestServerOptions, startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const WATCH_LIST = 'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
const GZIP = { 'accept-encoding': 'deflate, gzip' };

let server: TestServer;
const start = async (options?: TestServerOptions) => void (server = await startTestServer(options));
afterEach(() => server.close());

const create = (name: string) => ask(server.url + LEASES, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: name } } });

/** A watch as its bytes arrive, chunk by chunk. */
class RawWatch {
  readonly chunks: Buffer[] = [];
  readonly response: Promise<IncomingMessage>;
  readonly #request;

  constructor(query: string, headers: Record<string, string>) {
    this.#request = request(`${server.url}${LEASES}?${query}`, {
      rejectUnauthorized: false,
      agent: false,
      headers: { authorization: 'Bearer admin-token', ...headers },
    });
    this.response = new Promise((resolve, reject) => {
      this.#request.on('error', reject).on('response', (response) => {
        response.on('data', (chunk: Buffer) => this.chunks.push(chunk)).on('error', () => undefined);
        resolve(response);
      });
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  /** Waits until what has arrived, which is a number of whole members, contains the text. */
  async contains(text: string): Promise<string> {
    for (;;) {
      const all = whole(this.bytes);
      if (all.includes(text)) return all;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  abort(): void {
    this.#request.destroy();
  }
}

function whole(bytes: Buffer): string {
  try {
    return String(gunzipSync(bytes));
  } catch {
    return '';
  }
}

test('a watch that begins with the objects is gzipped, one member a flush', async () => {
  await start();
  for (let at = 0; at < 60; at++) await create(`lease-${at}`);
  const watch = new RawWatch(WATCH_LIST, GZIP);
  const { headers } = await watch.response;
  expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
  const initial = await watch.contains('k8s.io/initial-events-end');
  expect(initial.match(/"type":"ADDED"/g)).toHaveLength(60);
  const size = watch.bytes.length;
  expect(size).toBeLessThan(initial.length / 6);
  for (const name of ['later', 'last']) {
    await create(name);
    const text = await watch.contains(`"${name}"`);
    expect(text.startsWith(initial)).toBe(true);
  }
  // What follows the initial events is readable without them.
  expect(String(gunzipSync(watch.bytes.subarray(size)))).toContain('"later"');
  watch.abort();
});

test.each([
  ['the client does not accept gzip', WATCH_LIST, { 'accept-encoding': 'identity' }],
  ['it does not begin with the objects', 'watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', GZIP],
  ['it has no bookmarks', WATCH_LIST.replace('allowWatchBookmarks=true&', ''), GZIP],
  ['the client is a page in a browser, which would read the first member only', WATCH_LIST, { ...GZIP, 'sec-fetch-site': 'same-origin' }],
])('a watch is plain if %s', async (_why, query, headers) => {
  await start();
  const watch = new RawWatch(query, headers);
  const response = await watch.response;
  expect(response.headers['content-encoding']).toBeUndefined();
  await create('a');
  while (!String(watch.bytes).includes('"ADDED"')) await new Promise((resolve) => setTimeout(resolve, 5));
  watch.abort();
});

test('the setting turns compression off', async () => {
  await start({ settings: { watchListCompression: false } });
  const watch = new RawWatch(WATCH_LIST, GZIP);
  expect((await watch.response).headers['content-encoding']).toBeUndefined();
  watch.abort();
});
