import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { Workspace } from '../../suites/store-under-test.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { eventually } from '../../support/eventually.js';
import { LeaseClient } from './lease-client.js';

/*
 * What the statements within the functions cost. Their plans cannot be explained from outside, so PostgreSQL's statistics say which rows
 * were read, and how.
 */
const TABLES = ['objects', 'revision_counter', 'lease_token', 'lease_fence', 'lease_assertion'];

const fixture = forAllTests(() => openFixture(1));
beforeAll(async () => {
  const store = fixture.stores[0]!;
  const setup = await LeaseClient.connect(fixture.url);
  await setup.session.query(`call coordination.lease_create_namespace('default')`);
  const space = new Workspace(store);
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => space.create(`ns-${i % 10}/lease-${i}`, 'x'.repeat(200))));
  for (let i = 0; i < 200; i++) await setup.acquire(`lease-${i}`, 'a');
  await setup.close();
  await fixture.client.query('vacuum analyze');
});

interface Reads {
  readonly seq: number;
  readonly updated: number;
  readonly hot: number;
}

/** What a session's work did to each table; a session reports it when it ends. */
async function statisticsOf(work: (client: LeaseClient) => Promise<void>, least: number): Promise<Record<string, Reads>> {
  const read = async () =>
    Object.fromEntries(
      (
        await fixture.rows<Reads & { name: string }>(
          `select relname as name, seq_tup_read as seq, n_tup_upd as updated, n_tup_hot_upd as hot from pg_stat_user_tables where relname = any ($1)`,
          [TABLES],
        )
      ).map(({ name, ...row }) => [name, row]),
    );
  const before = await read();
  const client = await LeaseClient.connect(fixture.url);
  await work(client);
  await client.close();
  let after = await read();
  await eventually(async () => {
    after = await read();
    return after['revision_counter']!.updated - before['revision_counter']!.updated >= least;
  });
  const difference = (name: string): Reads => ({
    seq: after[name]!.seq - before[name]!.seq,
    updated: after[name]!.updated - before[name]!.updated,
    hot: after[name]!.hot - before[name]!.hot,
  });
  return Object.fromEntries(TABLES.map((name) => [name, difference(name)]));
}

test('acquisitions, renewals and releases find rows by their keys, and update them in place', async () => {
  const statistics = await statisticsOf(async (client) => {
    for (let i = 0; i < 100; i++) {
      const { token } = await client.acquire(`lease-${i}`, 'a');
      await client.renew(`lease-${i}`, 'a', token);
      await client.renew(`lease-${i}`, 'a');
      await client.acquire(`lease-${i}`, 'b');
    }
  }, 300);
  for (const name of TABLES.filter((table) => table !== 'revision_counter')) expect([name, statistics[name]!.seq]).toEqual([name, 0]);
  expect(statistics['objects']!.updated).toBe(300);
  expect(statistics['revision_counter']!.updated).toBe(300);
  expect(statistics['lease_token']!.updated).toBe(100);
  for (const name of ['objects', 'revision_counter', 'lease_token']) {
    // not all: a page can be full of versions that somebody may still see
    expect(statistics[name]!.hot / statistics[name]!.updated).toBeGreaterThan(0.5);
  }
});

test('functions with the rights of the owner have settings of their own', async () => {
  const functions = await fixture.rows<{ name: string; settings: string[] | null }>(
    `select proname as name, proconfig as settings from pg_proc where pronamespace = 'coordination'::regnamespace and prosecdef order by 1`,
  );
  expect(functions.map(({ name }) => name)).toEqual([
    'fence',
    'lease_assert',
    'lease_check_assertion',
    'lease_flush',
    'lease_get',
    'lease_notify',
    'lease_write',
  ]);
  const settings = [
    'search_path=coordination_tables, coordination, pg_temp',
    'enable_seqscan=off',
    'plan_cache_mode=force_generic_plan',
    'jit=off',
  ];
  for (const { name, settings: found } of functions.filter((each) => !['lease_flush', 'lease_notify'].includes(each.name))) {
    // what the counter is locked for sends nothing that the client may not read
    expect(found).toEqual(
      name === 'lease_write' ? [...settings, 'client_min_messages=warning', 'TimeZone=UTC', 'quote_all_identifiers=off'] : settings,
    );
  }
});

test('assertions find rows by their keys', async () => {
  const statistics = await statisticsOf(async (client) => {
    for (let i = 0; i < 50; i++) {
      const { token } = await client.acquire(`lease-${i}`, 'a');
      for (let times = 0; times < 3; times++) {
        await client.session.query('select coordination.lease_assert($1, $2, $3)', ['default', `lease-${i}`, token]);
      }
    }
  }, 50);
  expect(TABLES.filter((table) => table !== 'revision_counter' && statistics[table]!.seq > 0)).toEqual([]);
});
