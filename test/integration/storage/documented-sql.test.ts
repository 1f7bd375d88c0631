import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sqlOf } from '../../clients/documented/documented-program.js';
import type { PostgresFixture } from './postgres-fixture.js';
import { openFixture } from './postgres-fixture.js';

const blocks = sqlOf('sql.md');
let fixture: PostgresFixture;

beforeAll(async () => {
  fixture = await openFixture(1);
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
afterAll(() => fixture.close());

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
    await expect(client.query('select * from objects')).rejects.toThrow('permission denied');
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

test('a transaction sees whether its lease is still held', async () => {
  const [lease] = await fixture.rows<{ revision: number }>(`select revision from leases where name = 'kept'`);
  const mine = (holder: string, token = 0) => fixture.rows(block('select holder = $1'), [holder, token, 'n', 'kept']);
  expect(await mine('holder of kept', lease?.revision)).toEqual([{ mine: true }]);
  expect(await mine('holder of kept', (lease?.revision ?? 0) + 1)).toEqual([{ mine: false }]);
  expect(await mine('somebody else')).toEqual([{ mine: false }]);
});

test('every block of the page is run here', () => expect(blocks).toHaveLength(5));
