import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

const DENIED = { code: '42501' };
/** Roles belong to the cluster, which other tests share. */
const id = randomBytes(4).toString('hex');
const [granted, member, stranger] = [`granted_${id}`, `member_${id}`, `Stranger "${id}`];
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

const sessions: LeaseClient[] = [];

const fixture = forAllTests(() => openFixture(1));
const owner = forAllTests(() => LeaseClient.connect(fixture.url));
beforeAll(async () => {
  await fixture.client.query(`create role ${granted} login password 'x'; create role ${member} login password 'x' in role ${granted};
    create role ${quoted(stranger)} login password 'x'`);
  for (const namespace of ['default', 'other']) await owner.session.query(`call coordination.lease_create_namespace('${namespace}')`);
  await owner.session.query(`select coordination.lease_grant('${granted}', 'default')`);
  await owner.acquire('theirs', 'owner', '15s', 'other');
});
afterAllTests(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  await fixture.client.query(`drop owned by ${granted}, ${member}, ${quoted(stranger)}`);
  await fixture.client.query(`drop role ${granted}, ${member}, ${quoted(stranger)}`);
});

const as = async (role: string): Promise<LeaseClient> => {
  const session = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${encodeURIComponent(role)}:x@`));
  sessions.push(session);
  return session;
};

test.each([
  ['a granted role', granted],
  ['a member of a granted role', member],
])('%s uses the leases of the namespace, and of no other', async (_, role) => {
  const session = await as(role);
  const name = `lease-of-${role.slice(0, 6)}`;
  const { token } = await session.acquire(name, 'a');
  expect(await session.renew(name, 'a', token)).toMatchObject({ renewed: true });
  expect(await session.get(name)).toMatchObject({ holder: 'a' });
  await session.session.query('select coordination.lease_assert($1, $2, $3)', ['default', name, token]);
  expect(await session.release(name, 'a', token)).toMatchObject({ released: true });

  const refusal = { ...DENIED, message: `role "${role}" may not use leases in namespace "other"` };
  await expect(session.acquire('theirs', 'a', '15s', 'other')).rejects.toMatchObject(refusal);
  await expect(session.acquire('new', 'a', '15s', 'nowhere')).rejects.toMatchObject(DENIED);
  await expect(session.session.query(`call coordination.lease_renew('other', 'theirs', 'owner')`)).rejects.toMatchObject(refusal);
  await expect(session.session.query(`call coordination.lease_release('other', 'theirs', 'owner')`)).rejects.toMatchObject(refusal);
  await expect(session.session.query(`select * from coordination.lease_get('other', 'theirs')`)).rejects.toMatchObject(refusal);
  await expect(session.session.query(`select coordination.lease_assert('other', 'theirs', 1)`)).rejects.toMatchObject(refusal);
});

test('a granted role may execute nothing else, and touch no table', async () => {
  const session = await as(granted);
  const tables = [
    'objects',
    'revision_counter',
    'revision_log',
    'compaction',
    'server_state',
    'lease_access',
    'lease_token',
    'lease_fence',
    'lease_seen',
  ].map((table) => `coordination_tables.${table}`);
  for (const table of [...tables, 'coordination.leases', 'coordination.schema_migration']) {
    await expect(session.session.query(`select from ${table}`)).rejects.toMatchObject(DENIED);
  }
  const [{ names } = { names: '' }] = await fixture.rows<{ names: string }>(
    `select string_agg(distinct proname, ' ' order by proname) as names from pg_proc
     where pronamespace = 'coordination'::regnamespace and has_function_privilege($1, oid, 'execute')`,
    [granted],
  );
  expect(names.split(' ')).toEqual([
    'fence',
    'lease_acquire',
    'lease_assert',
    'lease_commit_refusal',
    'lease_commit_write',
    'lease_expiry',
    'lease_flush',
    'lease_get',
    'lease_json',
    'lease_leave_transaction',
    'lease_notify',
    'lease_release',
    'lease_renew',
    'lease_time',
    'lease_write',
    'leases_are_read_only',
  ]);
  for (const call of [`select coordination.lease_grant('${granted}', '*')`, `call coordination.lease_create_namespace('mine')`]) {
    await expect(session.session.query(call)).rejects.toMatchObject(DENIED);
  }
});

test('SET ROLE changes the rights, also to fewer', async () => {
  const session = await as(member);
  expect(await session.acquire('set-role', 'a')).toMatchObject({ acquired: true });
  await fixture.client.query(`grant usage on schema coordination to ${quoted(stranger)};
    grant execute on all routines in schema coordination to ${quoted(stranger)}; grant ${quoted(stranger)} to ${member}`);
  await session.session.query(`set role ${quoted(stranger)}`);
  await expect(session.acquire('set-role', 'a')).rejects.toMatchObject({ ...DENIED, message: expect.stringContaining('Stranger') });
  await session.session.query('reset role');
  expect(await session.acquire('set-role', 'a')).toMatchObject({ acquired: true });
  await fixture.client
    .query(`revoke ${quoted(stranger)} from ${member}; revoke all on all routines in schema coordination from ${quoted(stranger)};
    revoke all on schema coordination from ${quoted(stranger)}`);
});

test('a role without a grant gets nowhere, and has all of a namespace once it is granted, until it is revoked', async () => {
  const session = await as(stranger);
  await expect(session.acquire('strange', 'a')).rejects.toMatchObject(DENIED);
  await owner.session.query('select coordination.lease_grant($1, $2)', [quoted(stranger), '*']);
  expect(await session.acquire('strange', 'a')).toMatchObject({ acquired: true });
  expect(await session.acquire('strange', 'a', '15s', 'other')).toMatchObject({ acquired: true });
  await owner.session.query('select coordination.lease_revoke($1, $2)', [quoted(stranger), '*']);
  await expect(session.renew('strange', 'a')).rejects.toMatchObject(DENIED);
  await expect(owner.session.query(`select coordination.lease_grant($1, 'Bad')`, [quoted(stranger)])).rejects.toMatchObject({
    code: '22023',
  });
  await expect(owner.session.query(`select coordination.lease_grant('nobody_${id}', 'default')`)).rejects.toMatchObject({ code: '42704' });
});

test('a grant limits how many leases there may be', async () => {
  await owner.session.query(`call coordination.lease_create_namespace('few')`);
  await owner.session.query('select coordination.lease_grant($1, $2, 2)', [granted, 'few']);
  const session = await as(granted);
  for (const name of ['a', 'b']) expect(await session.acquire(name, 'x', '15s', 'few')).toMatchObject({ acquired: true });
  await expect(session.acquire('c', 'x', '15s', 'few')).rejects.toMatchObject({
    code: '53400',
    message: 'namespace "few" has 2 leases already',
  });
  expect(await session.acquire('a', 'x', '15s', 'few')).toMatchObject({ acquired: true });
  expect(await owner.acquire('c', 'x', '15s', 'few')).toMatchObject({ acquired: true });
});

test("a caller's own tables and functions are not taken for the schema's", async () => {
  const session = await as(granted);
  await session.session.query(`
    create temp table objects (like pg_class); create temp table lease_access as select 1 as role, '*' as namespace, 9 as most_leases;
    create function pg_temp.lease_permit(name, text) returns integer language sql as 'select 1';
    set search_path = pg_temp, coordination`);
  await expect(session.acquire('theirs', 'a', '15s', 'other')).rejects.toMatchObject(DENIED);
  expect(await session.acquire('mine', 'a')).toMatchObject({ acquired: true });
});

test("the fence runs with the rights of the table's owner, so writers need none", async () => {
  await fixture.client.query(`create schema app authorization ${granted}`);
  const session = await as(granted);
  await session.session.query(`create table app.account (name text, token bigint);
    create trigger fence before insert on app.account for each row execute function coordination.fence('default/writers');
    create table app.other (name text, token bigint);
    create trigger fence before insert on app.other for each row execute function coordination.fence('other/theirs');
    grant usage on schema app to ${quoted(stranger)}; grant insert on all tables in schema app to ${quoted(stranger)}`);
  const { token } = await session.acquire('writers', 'a');
  const writer = await as(stranger);
  await writer.session.query(`insert into app.account values ('x', $1)`, [token]);
  await expect(writer.session.query(`insert into app.account values ('x', 1)`)).rejects.toMatchObject({ code: 'LS001' });
  await expect(writer.session.query(`insert into app.other values ('x', $1)`, [token])).rejects.toMatchObject(DENIED);
});
