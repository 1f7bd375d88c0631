import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connected } from '../../support/connected.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { LISTENS } from '../../support/store-url.js';
import { openTestStore } from '../storage/open-test-store.js';
import { openFixture, pause } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

/*
 * What roles can hold up: one that reads the views, one with lease_grant, and one that may only connect. PostgreSQL queues strong locks before it looks
 * at rights on a table, and everything that comes later queues behind those.
 */
const LONGEST_MS = 1_000;
const id = randomBytes(4).toString('hex');
const roles = ['reader', 'grantee', 'guest'].map((name) => `${name}_${id}`) as [string, string, string];
const [reader, grantee, guest] = roles;

const fixture = forAllTests(() => openFixture(1));
const as = (role: string) => connected(fixture.url.replace(/\/\/[^@]*@/, `//${role}:x@`));
let written = 0;

beforeAll(async () => {
  for (const role of roles) {
    await fixture.client.query(`create role ${role} login password 'x'; create schema own_${role} authorization ${role}`);
  }
  await fixture.client.query(
    `grant usage on schema coordination to ${reader}; grant select on coordination.leases, coordination.lease_terms to ${reader}`,
  );
  await fixture.client.query(`call coordination.lease_create_namespace('default')`);
  await fixture.client.query(`select coordination.lease_grant('${grantee}', 'default')`);
});
afterAllTests(() => fixture.client.query(`drop owned by ${roles.join(', ')} cascade; drop role ${roles.join(', ')}`));

/** A server that tells others of its commits. */
async function openServer() {
  const store = await openTestStore(fixture.url, { listen: LISTENS });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

/** How long a server's write takes. */
async function writeMs(store = fixture.stores[0]!): Promise<number> {
  const start = performance.now();
  const key = { resource: 'things', namespace: 'ns', name: `beside-${written++}` };
  await store.create(key, { uid: key.name, data: '{}', terminating: false });
  return performance.now() - start;
}

/** Statements whose locks are weak and stay until the end of the transaction, whether or not the role may run them. */
const WEAK = (table: string, n: number) => [
  `prepare s${n} as select from ${table}`,
  `prepare d${n} as delete from ${table}`,
  `prepare i${n} as insert into ${table} default values`,
  `lock table ${table} in access share mode`,
  `explain select from ${table}`,
  `declare c${n} cursor for select from ${table}`,
];
/** Statements that wait for a strong lock, as far as PostgreSQL does not refuse them before. */
const STRONG = (table: string, own: string) => [
  `create rule r as on insert to ${table} do nothing`,
  `create trigger t before insert on ${table} for each row execute function suppress_redundant_updates_trigger()`,
  `create trigger t instead of insert on ${table} for each row execute function suppress_redundant_updates_trigger()`,
  `create table ${own}.refers (a text, foreign key (a) references ${table})`,
  `create table ${own}.child () inherits (${table})`,
  `create table ${own}.part partition of ${table} for values in (99)`,
  `comment on table ${table} is 'x'`,
  `comment on view ${table} is 'x'`,
  `security label on table ${table} is 'x'`,
  `lock table ${table} in access exclusive mode`,
  `lock table ${table} in share row exclusive mode`,
  `alter table ${table} add column x text`,
  `alter table ${table} set schema ${own}`,
  `alter view ${table} rename to x`,
  `alter table ${table} enable row level security`,
  `create policy p on ${table} using (true)`,
  `create index on ${table} ((1))`,
  `create statistics ${own}.st on a, b from ${table}`,
  `create publication p for table ${table}`,
  `truncate ${table}`,
  `drop table ${table}`,
  `drop view ${table} cascade`,
  `vacuum full ${table}`,
  `analyze ${table}`,
  `reindex table ${table}`,
  `cluster ${table}`,
  `refresh materialized view ${table}`,
  `grant all on ${table} to public`,
  `alter table ${own}.mine add foreign key (a) references ${table}`,
];

describe.each(roles)('a role that is a %s', (role) => {
  test('keeps no write waiting by any lock that it asks for on what is in the schemas', async () => {
    const { rows: relations } = await fixture.client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname like 'coordination%' and c.relkind in ('r', 'p', 'v') order by 1`,
    );
    const own = `own_${role}`;
    await using weak = await as(role);
    await using strong = await as(role);
    await strong.query(`create table ${own}.mine (a text)`);
    await weak.query('begin');
    for (const [n, { name }] of relations.entries()) for (const statement of WEAK(name, n)) await tried(weak, statement);
    let longest = { ms: 0, statement: '' };
    for (const statement of relations.flatMap(({ name }) => STRONG(name, own))) {
      const asked = strong.query(statement).catch(() => undefined);
      const isAnswered = () => Promise.race([asked.then(() => true), pause(20)]);
      // What waits is in the queue by now.
      await isAnswered();
      const ms = await writeMs();
      if (ms > longest.ms) longest = { ms, statement };
      if (ms >= LONGEST_MS) await weak.query('rollback; begin');
      if (!(await isAnswered())) await fixture.client.query('select pg_cancel_backend($1)', [backendOf(strong)]);
      await asked;
    }
    expect(longest.ms < LONGEST_MS || longest).toBe(true);
  }, 120_000);
});

const backendOf = (client: pg.Client) => (client as unknown as { processID: number }).processID;

/** Within a transaction that goes on, whatever the answer is. */
async function tried(client: pg.Client, statement: string): Promise<void> {
  await client.query('savepoint s');
  await client.query(statement).then(
    () => client.query('release s'),
    () => client.query('rollback to s'),
  );
}

/** What is left for the commit of a transaction of the caller's own, in whose place the procedure begins another one. */
const LATER: readonly (readonly [what: string, statement: string])[] = [
  ['a deferred trigger', 'insert into slow values (1)'],
  ['a cursor that outlives its transaction', `execute 'declare c cursor with hold for select pg_sleep(3)'`],
];

describe.each([
  ['acquires', `'acquire', 'default', 'own', 'me', '60 s', null`],
  ['is refused', `'acquire', 'default', 'taken', 'me', '60 s', null`],
])('a grantee that %s', (_, call) => {
  test.each(LATER)('runs %s of its own before it has locked anything', async (__, statement) => {
    await using other = await LeaseClient.connect(fixture.url);
    await other.acquire('taken', 'other', '600 s');
    await using own = await as(grantee);
    await own.query(`set search_path = own_${grantee}; drop table if exists slow; create table slow (x integer);
      create or replace function sleep() returns trigger language plpgsql as $$ begin
        if current_setting('transaction_timeout', true) is not null then perform set_config('transaction_timeout', '0', true); end if;
        perform pg_sleep(3); return null;
      end $$;
      create constraint trigger slow after insert on slow deferrable initially deferred for each row execute function sleep()`);
    const called = own.query(`do $$ declare a boolean; h text; t bigint; e timestamptz; r bigint; begin
      commit; ${statement}; call coordination.lease_commit_write(${call}, null, null, a, h, t, e, r); end $$`);
    for (let longest = 0, n = 0; n < 30; n++) {
      longest = Math.max(longest, await writeMs());
      const start = performance.now();
      expect((await other.acquire('taken', 'another')).acquired).toBe(false);
      longest = Math.max(longest, performance.now() - start);
      expect(longest).toBeLessThan(LONGEST_MS);
      await pause(100);
    }
    await called;
  });
});

test('a guest that floods a channel of its own delays no write, in SQL or of a server with others beside it', async () => {
  await using first = await openServer();
  await using second = await openServer();
  await using floods = await as(guest);
  await using sql = await LeaseClient.connect(fixture.url);
  await sql.acquire('flooded', 'a', '600 s');
  let flooding = true;
  const flooded = (async () => {
    while (flooding) {
      await floods.query(`select pg_notify('own', repeat('x', 7000) || n) from generate_series(1, 300) n`).catch(() => undefined);
    }
  })();
  let longest = 0;
  for (let turn = 0; turn < 30; turn++) {
    for (const store of [first.store, second.store]) longest = Math.max(longest, await writeMs(store));
  }
  flooding = false;
  await flooded;
  expect(longest).toBeLessThan(LONGEST_MS);
});

test(`a guest sees nothing of the schemas`, async () => {
  await using client = await as(guest);
  await expect(client.query('select from coordination.leases')).rejects.toMatchObject({ code: '42501' });
});
