import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { sqlOf } from '../../clients/documented/documented-program.js';
import { openFixture } from './postgres-fixture.js';

const blocks = sqlOf('sql.md');

const fixture = forAllTests(() => openFixture(1));
beforeAll(async () => {
  const [store] = fixture.stores;
  for (const [name, renewed] of [
    ['kept', Date.now()],
    ['left', 0],
  ] as const) {
    const spec = { holderIdentity: `holder of ${name}`, leaseDurationSeconds: 3600, renewTime: new Date(renewed).toISOString() };
    const key = { resource: 'leases.coordination.k8s.io', namespace: 'n', name };
    await store?.create(key, { uid: name, data: JSON.stringify({ metadata: { name, namespace: 'n' }, spec }), terminating: false });
  }
  await fixture.client.query(`create table account (name text primary key, balance int); insert into account values ('a', 0)`);
  await fixture.client.query(block('create table fence'));
});

function block(beginning: string): string {
  const found = blocks.filter((sql) => sql.startsWith(beginning));
  if (found.length !== 1) throw new Error(`docs/sql.md must have one block, but has ${found.length}, that begins with "${beginning}"`);
  return found[0] ?? '';
}

test('queries show the leader of each lease and expired leases', async () => {
  const [held, abandoned] = block('select namespace, name, holder, expires').split(';\n');
  expect(await fixture.rows(held ?? '')).toMatchObject([{ name: 'kept', holder: 'holder of kept' }]);
  expect(await fixture.rows(abandoned ?? '')).toMatchObject([{ name: 'left', holder: 'holder of left' }]);
});

test('the reader role can read the view and nothing else', async () => {
  const { client } = fixture;
  await client.query('begin');
  try {
    await client.query(block('create role lease_reader'));
    await client.query('set local role lease_reader');
    expect((await client.query('select * from leases')).rowCount).toBe(2);
    await expect(client.query('select * from coordination_tables.objects')).rejects.toThrow('permission denied');
  } finally {
    await client.query('rollback');
  }
});

test('the fence accepts writes with the newest token, and none with an older one', async () => {
  const write = async (token: number, balance: number) =>
    (await fixture.client.query(block('with fence as'), ['a', token, balance])).rowCount;
  expect([await write(10, 1), await write(11, 2), await write(10, 3), await write(11, 4)]).toEqual([1, 1, 0, 1]);
  expect(await fixture.rows('select balance from account')).toEqual([{ balance: 4 }]);
});

test('the procedures acquire, renew and release, and a namespace is created', async () => {
  await run(block('call coordination.lease_create_namespace'));
  const [acquired, renewed, released] = await run(block('call coordination.lease_acquire'));
  expect(acquired).toEqual([{ holder: 'worker-1', acquired: true, token: expect.any(Number), expires: expect.any(Date) }]);
  expect(renewed).toEqual([{ holder: 'worker-1', renewed: true, token: acquired?.[0]?.['token'], expires: expect.any(Date) }]);
  expect(released).toEqual([{ holder: null, released: true }]);
});

test('a transaction under a lease and a fenced table take the token of the term, and no stale one', async () => {
  const acquire = async (holder: string) => {
    await run(`call coordination.lease_release('default', 'nightly-report', 'worker-1')`);
    const [rows] = await run(`call coordination.lease_acquire('default', 'nightly-report', '${holder}', '15 s')`);
    return String(rows?.[0]?.['token']);
  };
  const token = await acquire('worker-1');
  await run(block('create table payment'));
  for (const write of [block('begin;\nselect coordination.lease_assert'), block('insert into payment')]) {
    await run(write.replace('1234', token));
  }
  expect(await fixture.rows('select id, amount::int, token from payment')).toEqual([{ id: 1, amount: 10, token: Number(token) }]);
  await acquire('worker-2');
  for (const write of [block('begin;\nselect coordination.lease_assert'), block('insert into payment')]) {
    await expect(run(write.replace('1234', token))).rejects.toMatchObject({ code: 'LS001' });
    await fixture.client.query('rollback');
  }
});

test('a role is granted a namespace', async () => {
  const { client } = fixture;
  await client.query('begin');
  try {
    await client.query(block('create role billing'));
    expect(await fixture.rows('select role::text, namespace from lease_access')).toEqual([{ role: 'billing', namespace: 'default' }]);
  } finally {
    await client.query('rollback');
  }
});

test('every block of the page is run here', () => expect(blocks).toHaveLength(10));

/** The rows of each statement of a block, which are sent one after the other, as psql does. */
async function run(sql: string): Promise<Record<string, unknown>[][]> {
  const rows: Record<string, unknown>[][] = [];
  for (const statement of sql.split(/;\n/)) {
    if (statement.trim() !== '') rows.push((await fixture.client.query<Record<string, unknown>>(statement)).rows);
  }
  return rows;
}
