import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { connected } from '../../support/connected.js';
import { createTestDatabase } from '../../support/test-database.js';
import { openTestStore } from './open-test-store.js';

const database = forAllTests(() => createTestDatabase());
const store = forAllTests(() => openTestStore(database.url));
const client = forAllTests(() => connected(database.url));

async function create(name: string, spec: object, metadata: object = {}): Promise<number> {
  const data = JSON.stringify({ metadata: { name, namespace: 'n', uid: name, labels: { of: 'test' }, ...metadata }, spec });
  const key = { resource: 'leases.coordination.k8s.io', namespace: 'n', name };
  return (await store.create(key, { uid: name, data, terminating: false })).revision;
}

test('a lease is held until its duration after the last renewal has passed', async () => {
  const now = Date.now();
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  const revision = await create('held', { holderIdentity: 'a', leaseDurationSeconds: 3600, renewTime: ago(0), leaseTransitions: 2 });
  await create('over', { holderIdentity: 'b', leaseDurationSeconds: 1, renewTime: ago(60_000) });
  await create('released', { holderIdentity: '', leaseDurationSeconds: 3600, renewTime: ago(0) });
  await create('bare', {});
  const { rows } = await client.query<{ name: string; held: boolean }>('select name, held from leases order by name');
  expect(Object.fromEntries(rows.map(({ name, held }) => [name, held]))).toEqual({ bare: false, held: true, over: false, released: false });
  const [held] = (await client.query("select * from leases where name = 'held'")).rows as object[];
  expect(held).toMatchObject({ namespace: 'n', holder: 'a', duration_seconds: 3600, transitions: 2, uid: 'held', labels: { of: 'test' } });
  expect(held).toMatchObject({ revision: String(revision), expires: new Date(now + 3_600_000) });
});

test('a lease that was never renewed counts from its last write', async () => {
  const written = (ms: number) => ({
    managedFields: [{ time: '2020-01-01T00:00:00Z' }, { time: new Date(Date.now() - ms).toISOString() }],
  });
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 60 };
  await create('new', spec, written(1_000));
  await create('old', spec, written(120_000));
  await create('endless', { holderIdentity: 'a' }, written(120_000));
  const { rows } = await client.query<object>(
    "select name, held, expires < now() as over from leases where name in ('new', 'old', 'endless') order by 1",
  );
  expect(rows).toEqual([
    { name: 'endless', held: true, over: null },
    { name: 'new', held: true, over: false },
    { name: 'old', held: false, over: true },
  ]);
});

test.each(['public', 'pg_catalog', ''])('the view can be read with the search_path %j', async (path) => {
  await create(
    `searched-${path || 'none'}`,
    { holderIdentity: 'a', leaseDurationSeconds: 60 },
    { managedFields: [{ time: new Date().toISOString() }] },
  );
  await using reader = await connected(database.url);
  await reader.query("select set_config('search_path', $1, false)", [path]);
  expect((await reader.query('select * from coordination.leases')).rows).not.toEqual([]);
});

test.each(['update leases set revision = 1', 'delete from leases', "insert into leases (name) values ('x')"])(
  '%s is refused',
  async (statement) => {
    await create(`there-${statement.slice(0, 6)}`, {});
    await expect(client.query(statement)).rejects.toThrow('the view leases is read-only: write leases through the API');
  },
);

test('a lease that PostgreSQL cannot represent does not break the view for the others', async () => {
  await create('nul', { holderIdentity: 'a\u0000b', leaseDurationSeconds: 15, renewTime: '0000-01-01T00:00:00.000000Z' });
  await create('half', { holderIdentity: '\ud800', leaseDurationSeconds: 15, acquireTime: '9999-12-31T23:59:59.999999Z' });
  const { rows } = await client.query<object>(
    "select name, holder, renewed, expires, held from leases where name in ('nul', 'half') order by 1",
  );
  expect(rows).toEqual([
    { name: 'half', holder: '\ufffd', renewed: null, expires: null, held: true },
    { name: 'nul', holder: 'a\ufffdb', renewed: null, expires: null, held: true },
  ]);
  expect((await client.query('select * from leases')).rows.length).toBeGreaterThan(2);
});
