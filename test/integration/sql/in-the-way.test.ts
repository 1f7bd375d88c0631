import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connected } from '../../support/connected.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { openFixture, pause } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

/*
 * What a role may own, lock, call and set: none of it delays the write of a server, or of another SQL client, by more than a second. A variant is what
 * one session leaves open, and what others of the same role do meanwhile, again and again. What PostgreSQL refuses is no less of a variant.
 */
const LONGEST_MS = 1_000;
const id = randomBytes(4).toString('hex');
const KINDS = ['reads', 'granted', 'connects'] as const;
const roles = KINDS.map((kind) => `${kind}_${id}`);

const fixture = forAllTests(() => openFixture(1));
const as = (role: string) => connected(fixture.url.replace(/\/\/[^@]*@/, `//${role}:x@`));
const other = forAllTests(() => LeaseClient.connect(fixture.url));

beforeAll(async () => {
  for (const role of roles) {
    await fixture.client.query(`create role ${role} login password 'x'; create schema own_${role} authorization ${role};
      alter role ${role} set search_path = own_${role}`);
  }
  await fixture.client.query(`call coordination.lease_create_namespace('default')`);
  await fixture.client.query(
    `grant usage on schema coordination to ${roles[0]}; grant select on coordination.leases, coordination.lease_terms to ${roles[0]}`,
  );
  await fixture.client.query(`select coordination.lease_grant('${roles[1]}', 'default')`);
  for (const name of ['renewed', 'taken']) await other.acquire(name, 'other', '600 s');
});
afterAllTests(() => fixture.client.query(`drop owned by ${roles.join(', ')} cascade; drop role ${roles.join(', ')}`));

interface Variant {
  readonly name: string;
  /** Left open by one session: each text is a message. */
  readonly open?: string | readonly string[];
  /** What further sessions repeat, each for itself. */
  readonly repeat?: readonly string[];
}

const TABLE = 'drop table if exists mine; create table mine (n integer primary key, token bigint); insert into mine values (1, 1)';
const SLOW = `create or replace function slow(given text) returns text language plpgsql as 'begin perform pg_sleep(3); return given; end';
  create or replace function slow_trigger() returns trigger language plpgsql as 'begin perform pg_sleep(3); return new; end'`;
const acquire = (holder: string, name = "'own'") => `call coordination.lease_acquire('default', ${name}, ${holder}, '600 s')`;
const commits = (before: string) => `do $$ declare a boolean; h text; t bigint; e timestamptz; r bigint; begin
  ${before} call coordination.lease_commit_write('acquire', 'default', 'own', 'me', '600 s', null, null, null, a, h, t, e, r); end $$`;
const loop = (body: string) => `do $$ begin for n in 1..300 loop ${body} end loop; end $$`;

const VARIANTS: readonly Variant[] = [
  // what reads keep
  { name: 'a snapshot of all leases', open: 'begin isolation level repeatable read; select * from coordination.leases' },
  { name: 'a cursor over the view', open: 'begin; declare c cursor for select * from coordination.leases; fetch c' },
  {
    name: 'a cursor that is held',
    open: 'begin; declare c cursor with hold for select * from coordination.leases, pg_sleep(3)',
    repeat: ['commit'],
  },
  {
    name: 'a view of its own over the view',
    open: `begin; create or replace view own_view as select * from coordination.leases; select * from own_view`,
  },
  {
    name: 'a materialized view over the view, refreshed',
    open: 'drop materialized view if exists seen; create materialized view seen as select * from coordination.leases; begin; refresh materialized view seen',
    repeat: ['refresh materialized view seen'],
  },
  {
    name: 'a serializable reader',
    open: 'begin isolation level serializable; select * from coordination.leases; select * from coordination.lease_terms',
  },
  { name: 'a long transaction with an id', open: 'begin isolation level repeatable read; select pg_current_xact_id()' },
  // locks on what everybody may name
  ...[
    'schema coordination',
    'schema coordination_tables',
    'function coordination.lease_assert',
    'view coordination.leases',
    'language plpgsql',
    'extension plpgsql',
  ].map((what) => ({ name: `comments on ${what}`, open: 'begin; select * from pg_class limit 1', repeat: [`comment on ${what} is 'x'`] })),
  {
    name: 'comments on the database',
    open: 'begin; select 1',
    repeat: [`do $$ begin execute format('comment on database %I is ''x''', current_database()); end $$`],
  },
  {
    name: 'settings of the database',
    repeat: [`do $$ begin execute format('alter database %I set work_mem = ''1MB''', current_database()); end $$`],
  },
  {
    name: 'rights of its own given on',
    repeat: [
      'grant usage on schema coordination to public',
      'grant select on coordination.leases to public',
      'grant execute on function coordination.lease_assert to public',
    ],
  },
  { name: 'its own role altered', repeat: [`do $$ begin execute format('alter role %I set work_mem = ''1MB''', current_user); end $$`] },
  {
    name: 'what it owns dropped, and given away',
    open: 'begin; drop owned by current_user',
    repeat: ['begin', 'drop owned by current_user', 'select pg_sleep(0.1)', 'rollback', 'reassign owned by current_user to current_user'],
  },
  {
    name: 'default privileges',
    repeat: [
      'alter default privileges grant select on tables to public',
      'alter default privileges in schema coordination grant select on tables to public',
    ],
  },
  {
    name: 'advisory locks on all that has a number',
    open: `begin; select pg_advisory_xact_lock(oid::bigint), pg_advisory_xact_lock(1953719668, oid::integer) from pg_class where relnamespace::regnamespace::text like 'coordination%'`,
  },
  { name: 'large objects', open: 'begin; select lo_create(0) from generate_series(1, 100)' },
  // what it owns
  {
    name: 'a table with a slow trigger',
    open: `${SLOW}; ${TABLE}; create trigger slow before update on mine for each row execute function slow_trigger(); begin; select * from mine for update`,
    repeat: ['update mine set n = n'],
  },
  {
    name: 'a table that is locked against all',
    open: `${TABLE}; begin; lock table mine in access exclusive mode`,
    repeat: ['vacuum full mine', 'select * from mine'],
  },
  {
    name: 'a domain, a type and a cast',
    open: `${SLOW}; drop domain if exists names; create domain names as text check (slow(value) is not null)`,
    repeat: [acquire(`'me'::names`)],
  },
  {
    name: 'operators and functions with the names of PostgreSQL',
    open: `${SLOW}; create or replace function clock_timestamp() returns timestamptz language sql as 'select now() from pg_sleep(3)';
      drop operator if exists = (text, text); create function slower(text, text) returns boolean language sql as 'select true from pg_sleep(3)';
      create operator = (leftarg = text, rightarg = text, function = slower)`,
    repeat: [`select set_config('search_path', current_setting('search_path') || ', pg_catalog', false)`, acquire(`'me'`)],
  },
  {
    name: 'a temporary table with the name of one of the server',
    open: 'create temp table objects (x integer); create temp table lease_access (role regrole, namespace text, most_leases integer)',
    repeat: [acquire(`'me'`)],
  },
  {
    name: 'an expression index that is slow',
    open: `${SLOW.replaceAll('language plpgsql as', 'immutable language plpgsql as').replace('returns trigger immutable', 'returns trigger')}; ${TABLE}; begin; create index on mine (slow(n::text))`,
  },
  {
    name: 'row security of its own',
    open: `${SLOW}; ${TABLE}; create policy p on mine using (slow('x') = 'x'); alter table mine enable row level security, force row level security`,
    repeat: ['select * from mine'],
  },
  {
    name: 'a rule',
    open: `${TABLE}; create or replace rule r as on update to mine do also select pg_sleep(3)`,
    repeat: ['update mine set n = n'],
  },
  {
    name: 'a sequence, statistics and a collation',
    open: 'begin; create sequence s; create collation own_c from "C"; select nextval(\'s\')',
  },
  {
    name: 'a publication and a subscription',
    open: TABLE,
    repeat: ['create publication p for table mine', `create subscription s connection 'host=127.0.0.1' publication p`],
  },
  // calls
  { name: 'calls that wait for their arguments', open: SLOW, repeat: [acquire(`slow('me')`)] },
  { name: 'calls after a lock of its own', repeat: [`${commits(`commit; perform pg_advisory_lock(7);`)}`] },
  { name: 'calls in a transaction', open: 'begin', repeat: [acquire(`'me'`)] },
  {
    name: 'calls in a block with an exception',
    repeat: [
      `do $$ declare a boolean; h text := 'me'; t bigint; e timestamptz; begin begin call coordination.lease_acquire('default', 'own', h, '60 s', a, t, e); exception when others then perform pg_sleep(0.2); end; end $$`,
    ],
  },
  {
    name: 'calls of what procedures call',
    repeat: [
      `select coordination.lease_write('acquire', 'default', 'own', 'me', '60 s', null, null, null)`,
      commits(''),
      'select coordination.lease_notify()',
    ],
  },
  {
    name: 'acquisitions and releases as fast as they go, by several sessions',
    repeat: [acquire(`'me'`), `call coordination.lease_release('default', 'own', 'me')`],
  },
  {
    name: 'new leases as fast as they go',
    repeat: [acquire(`'me'`, `'own-' || (random() * 1e6)::integer`)],
  },
  { name: 'refusals as fast as they go', repeat: [acquire(`'me'`, `'taken'`)] },
  {
    name: 'a fence that is left open',
    open: [
      acquire(`'me'`),
      'begin',
      `select coordination.lease_assert('default', 'own', (select token from coordination.lease_get('default', 'own')))`,
    ],
    repeat: [acquire(`'me'`)],
  },
  {
    name: 'a token of another term, asserted again and again',
    repeat: [loop(`begin perform coordination.lease_assert('default', 'taken', 1); exception when others then null; end;`)],
  },
  {
    name: 'a fence in a table that is locked',
    open: [
      TABLE,
      `create trigger fence before update on mine for each row execute function coordination.fence('default/own')`,
      'begin; lock table mine',
    ],
    repeat: ['update mine set token = token'],
  },
  // notifications
  {
    name: 'notifications on the channel of the server',
    repeat: [
      `select pg_notify('coordination_changes_coordination', '') from generate_series(1, 200)`,
      `select pg_notify('coordination_changes_coordination', n::text) from generate_series(1, 200) n`,
    ],
  },
  { name: 'a listener that reads nothing', open: 'listen coordination_changes_coordination; begin; select 1' },
  // settings, with what they do to a call
  ...[
    'statement_timeout = 2',
    'lock_timeout = 1',
    'idle_in_transaction_session_timeout = 1',
    'synchronous_commit = remote_apply',
    'synchronous_commit = off',
    'default_transaction_read_only = on',
    "default_transaction_isolation = 'serializable'",
    'client_min_messages = debug5',
    'jit = on; set jit_above_cost = 0; set jit_inline_above_cost = 0; set jit_optimize_above_cost = 0',
    'enable_indexscan = off; set enable_bitmapscan = off; set enable_indexonlyscan = off',
    'plan_cache_mode = force_custom_plan',
    "work_mem = '64kB'; set temp_file_limit = 0",
    'force_parallel_mode = on',
    'debug_parallel_query = on',
    'vacuum_cost_delay = 100; set backend_flush_after = 1',
    'quote_all_identifiers = on',
    'commit_delay = 100000; set commit_siblings = 0',
    "session_replication_role = 'replica'",
    'zero_damaged_pages = on',
  ].map((setting) => ({
    name: `calls with ${setting}`,
    repeat: [
      `set ${setting}`,
      acquire(`'me'`),
      `call coordination.lease_renew('default', 'own', 'me')`,
      `call coordination.lease_release('default', 'own', 'me')`,
    ],
  })),
];

let written = 0;
async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
/** How long the writes of others take: of a server, and of a SQL client. */
async function writeMs(): Promise<number> {
  const key = { resource: 'things', namespace: 'ns', name: `beside-${written++}` };
  const create = () => fixture.stores[0]!.create(key, { uid: key.name, data: '{}', terminating: false });
  return Math.max(...(await Promise.all([timed(create), timed(() => other.renew('renewed', 'other'))])));
}

const SESSIONS = 4;
const LASTS_MS = 300;

/** The statements of a session, one by one, whatever is answered. */
async function tried(client: pg.Client, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await client.query(statement).catch(() => undefined);
}

describe.each(KINDS.map((kind, at) => [kind, roles[at]!]))('a role that %s', (_, role) => {
  test.each(VARIANTS.map((variant) => [variant.name, variant] as const))('%s', async (__, { open, repeat = [] }) => {
    await using first = await as(role);
    // a transaction that begins within a message has what came before it
    if (open !== undefined) {
      await tried(
        first,
        [open].flat().flatMap((text) => text.split(/;\s*(?=begin\b)/)),
      );
    }
    const others = await Promise.all(Array.from({ length: repeat.length > 0 ? SESSIONS : 0 }, () => as(role)));
    let ended = false;
    const repeating = others.map(async (client) => {
      while (!ended) await tried(client, repeat);
    });
    let longest = 0;
    for (const start = performance.now(); performance.now() - start < LASTS_MS; await pause(20)) {
      longest = Math.max(longest, await writeMs());
    }
    ended = true;
    await fixture.client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
    await Promise.all(repeating);
    expect(longest).toBeLessThan(LONGEST_MS);
  });
});
