import { WatchedMemoryStore } from '../../support/watched-memory-store.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { ask } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

interface Line {
  readonly msg: string;
  readonly auditId: string;
  readonly path: string;
  readonly status: number;
  readonly user: string;
}

/** Waits for the log line of a request, which is written shortly after the response. */
async function lineOf(log: readonly string[], auditId: string): Promise<Line> {
  for (const deadline = Date.now() + 3000; ;) {
    const found = log.map((line) => JSON.parse(line) as Line).find((line) => line.auditId === auditId);
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`no line of ${auditId} in:\n${log.join('')}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a failed request is logged once', async () => {
  const log: string[] = [];
  const store = new WatchedMemoryStore();
  const server = await startTestServer({ log, store });
  store.list = () => Promise.reject(new StorageError('Unavailable', 'the database is gone'));
  await ask(`${server.url}${LEASES}`, { headers: { 'audit-id': 'the-failed' } });
  await server.close();
  expect(await lineOf(log, 'the-failed')).toMatchObject({ msg: 'request failed', path: LEASES });
  expect(log.filter((line) => line.includes('the-failed')).length).toBe(1);
});

test('a slow request is logged, a watch is not', async () => {
  const log: string[] = [];
  await using server = await startTestServer({ log, settings: { slowRequestThreshold: 0.001 } });
  await ask(`${server.url}${LEASES}?watch=1&timeoutSeconds=1`, { headers: { 'audit-id': 'the-watch' } });
  await ask(`${server.url}${LEASES}`, { headers: { 'audit-id': 'the-slow' } });
  expect(await lineOf(log, 'the-slow')).toMatchObject({ msg: 'slow request', status: 200 });
  expect(log.join('')).not.toContain('the-watch');
});

test('a watch whose client does not keep up is logged with its user', async () => {
  const log: string[] = [];
  const store = new WatchedMemoryStore();
  await using server = await startTestServer({ log, store });
  store.watch = () =>
    Promise.resolve({ revision: 1, tooSlow: true, closed: Promise.resolve(), close: () => undefined, reportBacklog: () => undefined });
  await ask(`${server.url}${LEASES}?watch=1`, { headers: { 'audit-id': 'the-late' } });
  const [message, user] = ['watch ended: its client does not keep up', 'admin'];
  expect(await lineOf(log, 'the-late')).toMatchObject({ msg: message, path: LEASES, user });
});
