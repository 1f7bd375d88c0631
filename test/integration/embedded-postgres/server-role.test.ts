import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { connected } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { serverUrl } from '../../../src/server/embedded-postgres/embedded-database.js';
import { prepareServerRole, SERVER_ROLE } from '../../../src/storage/database/start/server-role.js';
import { diagnose } from '../../../src/storage/maintenance/diagnosis/diagnose.js';
import { startPostgres } from '../../support/postgres-under-test.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { LeaseClient } from '../sql/lease-client.js';
import { openTestStore, silent } from '../storage/open-test-store.js';

/*
 * A data directory of an earlier version, in which the superuser owns the schema.
 */

const OWNERS = `
  select distinct owner::regrole::text from (
    select nspowner from pg_namespace where nspname = 'coordination'
    union all select relowner from pg_class where relnamespace in ('coordination'::regnamespace, 'coordination_tables'::regnamespace)
    union all select proowner from pg_proc where pronamespace = 'coordination'::regnamespace
    union all select typowner from pg_type where typnamespace = 'coordination'::regnamespace) as o(owner)`;
const owners = async () => (await superuser.query<{ owner: string }>(OWNERS)).rows.map(({ owner }) => owner);
const rights = async (url: string) =>
  (await diagnose({ url, maxBytes: 0, maxEventBytes: 0 }, silent, Date.now)).all.find(({ check }) => check === 'rights');

const dir = scratchDirectory(tmpdir());
const postgres = forAllTests(() => startPostgres({ dir: path.join(dir, 'postgres') }));
const superuser = forAllTests(() => connected(postgres.url()));
beforeAll(async () => {
  await (await openTestStore(postgres.url())).close();
  await superuser.query(`create role client login password 'x'; select coordination.lease_grant('client', 'default');
    create sequence coordination.alone; create table coordination.numbered (id serial);
    create type coordination.kind as enum ('a'); create domain coordination.name as text;
    create aggregate coordination.most(text) (sfunc = text_larger, stype = text)`);
  await superuser.query(`call coordination.lease_create_namespace('default')`);
});

test('doctor warns while the schema belongs to a superuser', async () => {
  expect(await rights(postgres.url())).toMatchObject({ state: 'warning', detail: expect.stringMatching('coordination is a superuser') });
});

test('a start that is killed while the schema changes hands leaves it to its owner', async () => {
  const administrator = await connected(postgres.url());
  await administrator.query('begin; select from coordination_tables.lease_token');
  const started = serverUrl(postgres, '');
  const ended = superuser.query<{ ended: boolean }>(`do $$ begin
    while not exists (select pg_terminate_backend(pid) from pg_locks where not granted) loop perform pg_sleep(0.01); end loop; end $$`);
  await expect(started).rejects.toThrow(`cannot prepare the role ${SERVER_ROLE} of the embedded PostgreSQL`);
  await ended;
  await administrator.end();
  expect(await owners()).toEqual(['coordination']);
});

test('the next start gives the schema and all that is in it to a role that is no superuser', async () => {
  const url = await serverUrl(postgres, '');
  expect(await owners()).toEqual([SERVER_ROLE]);
  const store = await openTestStore(url);
  const key = { resource: 'leases.coordination.k8s.io', namespace: 'default', name: 'kept' };
  await store.create(key, { uid: 'kept', data: '{}', terminating: false });
  await store.close();
  const client = await LeaseClient.connect(postgres.urlAs('client', 'x'));
  expect(await client.acquire('theirs', 'a')).toMatchObject({ acquired: true });
  await client.close();
  const { rows } = await superuser.query(
    `select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication from pg_roles where rolname = $1`,
    [SERVER_ROLE],
  );
  expect(Object.values(rows[0] as object)).toEqual([false, false, false, false, false]);
});

test('starts and commands that follow, several at once, change nothing', async () => {
  const urls = await Promise.all(Array.from({ length: 5 }, () => serverUrl(postgres, '')));
  expect(new Set(urls).size).toBe(1);
  expect(await owners()).toEqual([SERVER_ROLE]);
});

test('the role cannot become the superuser, whose password its own does not tell', async () => {
  const url = await serverUrl(postgres, '');
  expect(url).not.toContain(new URL(postgres.url()).password);
  await using client = await connected(url);
  for (const statement of [
    'set role coordination',
    'set session authorization coordination',
    `alter role ${SERVER_ROLE} superuser`,
    `copy (select 1) to program 'true'`,
    `select pg_read_file('PG_VERSION')`,
    'select from pg_authid',
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'coordination'`,
  ]) {
    await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
  }
});

test('doctor finds nothing wrong with this role', async () => {
  expect(await rights(await serverUrl(postgres, ''))).toMatchObject({ state: 'ok' });
});

test('a start and commands do not wait for a standby that is missing', async () => {
  const reload = async (names: string) => {
    await superuser.query(`alter system set synchronous_standby_names = '${names}'`);
    await superuser.query('select pg_reload_conf()');
    await eventually(async () => {
      const { rows } = await superuser.query<{ synchronous_standby_names: string }>('show synchronous_standby_names');
      return rows[0]?.synchronous_standby_names === names;
    });
  };
  await superuser.query('set synchronous_commit = local');
  await reload('gone');
  try {
    const url = await serverUrl(postgres, 'coordination');
    const { all } = await diagnose({ url, maxBytes: 0, maxEventBytes: 0 }, silent, Date.now);
    expect(all).toContainEqual(expect.objectContaining({ check: 'replication', state: 'warning' }));
  } finally {
    await reload('');
  }
});

test('a PostgreSQL that hangs is given up', async () => {
  const hangs = createServer().listen(0, '127.0.0.1');
  await once(hangs, 'listening');
  const { port } = hangs.address() as AddressInfo;
  await expect(prepareServerRole(`postgresql://postgres@127.0.0.1:${port}/postgres`, 'x', 'coordination')).rejects.toThrow(
    'timeout expired',
  );
  hangs.close();
});
