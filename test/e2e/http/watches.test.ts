import { forEachTest } from '../../support/for-tests.js';
import { ask, Http2Client } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';
import { WatchClient } from '../../support/watch-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

const server = forEachTest(() => startTestServer());

const create = (name: string) =>
  ask(server.url + LEASES, {
    method: 'POST',
    body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: { holderIdentity: name } },
  });
const watch = (query: string) => new WatchClient(`${server.url}${LEASES}?watch=true&${query}`);

test('headers are sent at once, before any event', async () => {
  const client = watch('sendInitialEvents=false&resourceVersionMatch=NotOlderThan');
  const response = await client.response;
  expect([response.statusCode, response.headers['content-type'], response.headers['transfer-encoding']]).toEqual([
    200,
    'application/json',
    'chunked',
  ]);
  expect(client.events).toEqual([]);
  client.abort();
});

test('all watchers of an event receive the same bytes', async () => {
  const clients = Array.from({ length: 5 }, () => watch('resourceVersion=0'));
  await Promise.all(clients.map((client) => client.response));
  await create('a');
  const seen = await Promise.all(clients.map((client) => client.count(1)));
  for (const events of seen) expect(events).toEqual(seen[0]);
  for (const client of clients) client.abort();
});

test('a watch ends cleanly after its timeout', async () => {
  const client = watch('timeoutSeconds=1');
  await client.ended;
  expect(client.events).toEqual([]);
});

test('a negative timeout ends a watch at once', async () => {
  await create('a');
  const client = watch('timeoutSeconds=-1');
  await client.ended;
  expect(client.events).toEqual([]);
});

test('initial events end with an annotated bookmark, and another bookmark precedes the timeout', async () => {
  await create('a');
  const client = watch('timeoutSeconds=3&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
  await client.ended;
  expect(client.events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK', 'BOOKMARK']);
  const [, marked, last] = client.events;
  expect(marked?.object.metadata?.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  expect(last?.object).toEqual({
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { resourceVersion: marked?.object.metadata?.resourceVersion },
    spec: {},
  });
});

test('a compacted resourceVersion is one ERROR event, then the stream ends', async () => {
  const client = watch('resourceVersion=1');
  await client.ended;
  expect(client.events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
});

test('many watches share one HTTP/2 connection', async () => {
  using client = new Http2Client(server.url);
  const watches = Array.from({ length: 150 }, () => client.ask(`${LEASES}?watch=true&resourceVersion=0&timeoutSeconds=2`));
  await create('a');
  for (const { status, text } of await Promise.all(watches)) {
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  }
});

test('a watcher that reads nothing is dropped, and another one continues', async () => {
  const slow = watch('resourceVersion=0');
  (await slow.response).pause();
  const reader = watch('resourceVersion=0');
  await reader.response;
  const annotations = { note: 'x'.repeat(200_000) };
  await ask(server.url + LEASES, { method: 'POST', body: { metadata: { name: 'big', annotations } } });
  for (let i = 0; i < 150; i += 1) {
    const body = { metadata: { annotations: { ...annotations, count: String(i) } } };
    await ask(`${server.url}${LEASES}/big`, { method: 'PATCH', body, headers: { 'content-type': 'application/merge-patch+json' } });
  }
  expect(await reader.count(151)).toHaveLength(151);
  (await slow.response).resume();
  await slow.ended.catch(() => undefined);
  expect(slow.events.length).toBeLessThan(151);
  reader.abort();
});

test('the server releases a watch whose client is gone', async () => {
  const client = watch('resourceVersion=0');
  await client.response;
  client.abort();
  await create('a');
  await create('b');
});
