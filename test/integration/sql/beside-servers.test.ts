import { beforeAll, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import type { CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { ask } from '../../support/http-client.js';
import { storeUrl } from '../../support/store-url.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';
import { WatchClient } from '../../support/watch-client.js';
import type { WireObject } from '../../support/wire-object.js';
import type { ObjectMeta } from '../../../src/apimachinery/meta/object-meta.schema.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { auditLog } from '../storage/log-audit.js';
import { eventually } from '../../support/eventually.js';
import { LeaseClient } from './lease-client.js';

/*
 * SQL clients and HTTP clients of two servers on one database.
 */
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

let caches: CachedStore[];
let servers: TestServer[];

const fixture = forAllTests(() => openFixture(2));
beforeAll(async () => {
  caches = await Promise.all(fixture.stores.map((store) => openCachedStore(store)));
  // the first one creates the namespaces
  servers = [await startTestServer({ store: caches[0]! })];
});
const sql = forAllTests(() => LeaseClient.connect(storeUrl(fixture.url)));
afterAllTests(async () => {
  for (const server of servers) await server.close();
  for (const cache of caches) cache.close();
});

const lease = async (name: string) => (await ask(`${servers[0]!.url}${LEASES}/${name}`)).json;
const put = (object: WireObject, spec: object) =>
  ask(`${servers[0]!.url}${LEASES}/${object.metadata?.name}`, { method: 'PUT', body: { ...object, spec: { ...object.spec, ...spec } } });
const post = (name: string, spec: object) => ask(`${servers[0]!.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec } });
const ago = (seconds: number) => `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, -1)}000Z`;
const revisionOf = (object: WireObject) => Number(object.metadata?.resourceVersion);
const held = (holder: string, seconds: number, renewed: string) => ({
  holderIdentity: holder,
  leaseDurationSeconds: seconds,
  acquireTime: renewed,
  renewTime: renewed,
  leaseTransitions: 0,
});

test('a watch sees the writes of SQL and HTTP clients once each, in order, over a rotation of the log', async () => {
  const watch = new WatchClient(`${servers[0]!.url}${LEASES}?watch=true&resourceVersion=0`);
  const revisions: number[] = [];
  const other = await caches[1]!.watch({ resource: 'leases.coordination.k8s.io' }, {}, (items) => {
    for (const item of items) if (item.kind === 'event') revisions.push(item.event.revision);
  });
  const { token } = await sql.acquire('watched', 'a');
  await sql.renew('watched', 'a');
  expect((await put(await lease('watched'), { holderIdentity: 'http' })).status).toBe(200);
  await fixture.stores[0]!.compactor.rotate();
  expect((await put(await lease('watched'), { leaseDurationSeconds: 1, renewTime: ago(60) })).status).toBe(200);
  let taken = await sql.acquire('watched', 'b');
  await eventually(async () => taken.acquired || (taken = await sql.acquire('watched', 'b')).acquired);
  await fixture.stores[0]!.compactor.rotate();
  await sql.renew('watched', 'b', taken.token);
  await sql.release('watched', 'b');
  expect((await ask(`${servers[0]!.url}${LEASES}/watched`, { method: 'DELETE' })).status).toBe(200);
  const events = await watch.count(8);
  expect(events.map(({ type, object }) => [type, object.spec?.holderIdentity])).toEqual([
    ['ADDED', 'a'],
    ['MODIFIED', 'a'],
    ['MODIFIED', 'http'],
    ['MODIFIED', 'http'],
    ['MODIFIED', 'b'],
    ['MODIFIED', 'b'],
    ['MODIFIED', ''],
    ['DELETED', ''],
  ]);
  expect([revisionOf(events[0]!.object), revisionOf(events[4]!.object)]).toEqual([token, taken.token]);
  await eventually(() => revisions.length === 8);
  expect(revisions).toEqual(events.map(({ object }) => revisionOf(object)));
  watch.abort();
  other.close();
  // the log alone has the state before each change
  for (const revision of revisions.slice(0, -1)) {
    expect(await fixture.stores[1]!.readChanges(revision)).not.toBe('compacted');
  }
});

test('every consistent read contains what SQL has acknowledged', async () => {
  for (let i = 0; i < 20; i++) {
    const { token } = await sql.acquire(`fresh-${i}`, 'a');
    const found = await lease(`fresh-${i}`);
    expect(revisionOf(found)).toBe(token);
    expect(found.spec).toMatchObject({ holderIdentity: 'a' });
  }
});

test('a write based on a state before a takeover in SQL is a conflict, and one after it continues the term', async () => {
  const before = (await post('contended', held('http', 1, ago(60)))).json;
  let taken = await sql.acquire('contended', 'sql');
  await eventually(async () => taken.acquired || (taken = await sql.acquire('contended', 'sql')).acquired);
  expect(await put(before, { renewTime: ago(0) })).toMatchObject({ status: 409 });
  const now = await lease('contended');
  expect(now.spec).toMatchObject({ holderIdentity: 'sql', leaseTransitions: 1 });
  expect((now.metadata as ObjectMeta).managedFields?.map(({ manager }) => manager)).toContain('coordination-sql');
  const renewed = await put(now, { renewTime: ago(0) });
  expect(renewed.status).toBe(200);
  expect(await sql.renew('contended', 'sql', taken.token)).toMatchObject({ renewed: true, token: taken.token });
  expect(await sql.renew('contended', 'sql', revisionOf(renewed.json))).toMatchObject({ renewed: true, token: taken.token });
});

test.each([
  ['an hour behind', 3600],
  ['an hour ahead', -3600],
])('a client whose clock is %s keeps its lease for its duration, and no longer', async (what, seconds) => {
  const name = what.replaceAll(' ', '-');
  const created = Date.now();
  await post(name, held('http', 2, ago(seconds)));
  let attempt = await sql.acquire(name, 'sql');
  expect(attempt).toMatchObject({ acquired: false, holder: 'http' });
  await eventually(async () => (attempt = await sql.acquire(name, 'sql')).acquired);
  const [row] = await fixture.rows<{ acquired: Date }>('select acquired from leases where name = $1', [name]);
  expect(row!.acquired.getTime()).toBeGreaterThanOrEqual(Math.floor(created / 1000) * 1000 + 2000);
});

test('the later of two clocks counts where they differ by less than the duration', async () => {
  await post('ahead', held('http', 600, ago(-60)));
  const { expires } = await sql.acquire('ahead', 'sql');
  expect(expires!.getTime()).toBeGreaterThan(Date.now() + 650_000);
  await post('behind', held('http', 600, ago(60)));
  const behind = await sql.acquire('behind', 'sql');
  expect(behind.expires!.getTime()).toBeGreaterThan(Date.now() + 590_000);
});

test('SQL and HTTP clients that race for leases leave a log in which each change follows from the one before', async () => {
  const clients = await Promise.all(Array.from({ length: 4 }, () => LeaseClient.connect(storeUrl(fixture.url))));
  const deadline = Date.now() + 2_000;
  const outcomes = new Set<unknown>();
  const bySql = async (client: LeaseClient, holder: string) => {
    while (Date.now() < deadline) {
      const { acquired } = await client.acquire('raced', holder);
      outcomes.add(acquired);
      if (acquired) await client.release('raced', holder);
    }
  };
  const byHttp = async (holder: string) => {
    while (Date.now() < deadline) {
      const found = await lease('raced');
      outcomes.add((await put(found, held(holder, 1, ago(60)))).status);
      const label = {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { metadata: { labels: { holder } } },
      };
      outcomes.add((await ask(`${servers[0]!.url}${LEASES}/raced`, label)).status);
      if (Math.random() < 0.2) await ask(`${servers[0]!.url}${LEASES}/raced`, { method: 'DELETE' });
    }
  };
  await Promise.all([
    ...clients.map((client, i) => bySql(client, `sql-${i}`)),
    byHttp('http-1'),
    byHttp('http-2'),
    fixture.stores[0]!.compactor.rotate(),
  ]);
  await Promise.all(clients.map((client) => client.close()));
  expect([...outcomes]).toEqual(expect.arrayContaining([true, false, 200]));
  expect(await auditLog(fixture)).toEqual({ changes: expect.any(Number), faults: [] });
});

test('a namespace that SQL created is the one that a server would have created', async () => {
  await sql.session.query(`call coordination.lease_create_namespace('made-in-sql')`);
  await sql.session.query(`call coordination.lease_create_namespace('made-in-sql')`);
  await ask(`${servers[0]!.url}/api/v1/namespaces`, { method: 'POST', body: { metadata: { name: 'made-by-http' } } });
  const [inSql, byHttp] = await Promise.all(
    ['made-in-sql', 'made-by-http'].map(async (name) => {
      const text = (
        await fixture.rows<{ data: string }>(`select data from objects where resource = 'namespaces' and path = $1`, [name])
      )[0]!.data;
      const { metadata } = JSON.parse(text) as { metadata: ObjectMeta };
      const times = new Set([metadata.creationTimestamp!, ...metadata.managedFields!.map(({ time }) => time!)]);
      const manager = metadata.managedFields![0]!.manager!;
      const own = text.replaceAll(name, 'NAME').replaceAll(metadata.uid!, 'UID').replaceAll(`"${manager}"`, '"MANAGER"');
      return [...times].reduce((rest, time) => rest.replaceAll(time, 'TIME'), own);
    }),
  );
  expect(inSql).toBe(byHttp);
  await expect(sql.session.query(`call coordination.lease_create_namespace('Bad')`)).rejects.toMatchObject({ code: '22023' });
});

test('the counter of another run of PostgreSQL begins a lineage, as servers do, and interrupts no watch', async () => {
  const watch = new WatchClient(`${servers[0]!.url}${LEASES}?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dlineage`);
  const first = await sql.acquire('lineage', 'a');
  await watch.count(1);
  await fixture.client.query(`update revision_counter set server_started = server_started - interval '1 hour'`);
  const second = await sql.acquire('lineage', 'a');
  expect(second.token).toBeGreaterThan(1e15);
  expect(second.token).toBeGreaterThan(first.token!);
  const [lineage] = await fixture.rows<{ ended: number; began: number; current: boolean }>(
    'select l.ended, l.began, l.id = c.lineage as current from revision_lineage l, revision_counter c order by l.began desc limit 1',
  );
  expect(lineage).toEqual({ ended: expect.any(Number), began: second.token! - 1, current: true });
  expect(lineage!.ended).toBeGreaterThanOrEqual(first.token!);
  expect((await put(await lease('lineage'), { renewTime: ago(0) })).status).toBe(200);
  expect((await watch.count(3)).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED']);
  watch.abort();
});

test('a database that no server was started on works, from its first revision on', async () => {
  await using empty = await openFixture(0);
  const alone = await LeaseClient.connect(storeUrl(empty.url));
  await alone.session.query(`call coordination.lease_create_namespace('default')`);
  expect(await alone.acquire('first', 'a')).toMatchObject({ acquired: true, token: 1002 });
  await alone.close();
  const store = await empty.open();
  const { objects } = await store.list({ resource: 'leases.coordination.k8s.io' }, { consistency: { kind: 'latest' } });
  expect(objects.map(({ key, revision }) => [key.name, revision])).toEqual([['first', 1002]]);
});
