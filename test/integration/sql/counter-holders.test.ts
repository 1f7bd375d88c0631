import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { openPostgresStore } from '../../../src/storage/postgres/open-postgres-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { diagnose } from '../../../src/storage/maintenance/diagnosis/diagnose.js';
import { connected } from '../../support/connected.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { LISTENS, storeUrl } from '../../support/store-url.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { openFixture, pause } from '../storage/postgres-fixture.js';
import { silent } from '../storage/open-test-store.js';
import { LeaseClient } from './lease-client.js';

/*
 * All writes of all servers wait for whoever has the revision counter locked. A server ends him if he is a SQL client, and only then.
 */
const role = `client_${randomBytes(4).toString('hex')}`;
const user = () => pg.escapeIdentifier(new pg.Client(storeUrl(fixture.url)).user ?? '');

interface Line {
  readonly msg: string;
  readonly holder?: string;
  readonly holders?: string[];
}

const fixture = forAllTests(() => openFixture(0));
let store: PostgresStore;
let client: LeaseClient;
let lines: Line[] = [];
let ended = 0;

beforeAll(async () => {
  await fixture.client.query(`create role ${role} login password 'x'; select coordination.lease_grant('${role}', 'default')`);
  await fixture.client.query(`grant pg_read_all_stats, pg_signal_backend to ${user()}`);
  await fixture.client.query(`call coordination.lease_create_namespace('default')`);
  const log = new Writable({ write: (line: Buffer, _, done) => (lines.push(JSON.parse(line.toString()) as Line), done()) });
  const options = {
    compaction: false,
    listen: LISTENS,
    database: { url: storeUrl(fixture.url) },
    observer: { endedHolder: () => ended++ },
  };
  store = await openPostgresStore(options, pino({ base: null, level: 'warn' }, log));
  client = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${role}:x@`));
  for (const name of ['held', 'other']) await client.acquire(name, 'a');
});
afterEach(() => {
  lines = [];
  ended = 0;
});
afterAllTests(async () => {
  await client.close();
  await store.close();
  await fixture.client.query(`drop owned by ${role}; drop role ${role}`);
});

function openStore(url: string): Promise<PostgresStore> {
  const log = new Writable({
    write: (line: Buffer, _, done) => {
      lines.push(JSON.parse(line.toString()) as Line);
      done();
    },
  });
  const options = { compaction: false, listen: LISTENS, database: { url }, observer: { endedHolder: () => void ended++ } };
  return openPostgresStore(options, pino({ base: null, level: 'warn' }, log));
}

let count = 0;
/** Writes something that has nothing to do with what is locked; resolves with the milliseconds that it took. */
async function write(to = store): Promise<number> {
  const name = `written-${count++}`;
  const started = performance.now();
  await to.create({ resource: 'leases.coordination.k8s.io', namespace: 'default', name }, { uid: name, data: '{}', terminating: false });
  return performance.now() - started;
}

/** Runs with an administrator's transaction open that has executed the statement. */
async function beside<T>(statement: string, work: (administrator: pg.Client) => Promise<T>): Promise<T> {
  await using administrator = await connected({ connectionString: fixture.url, application_name: 'psql' });
  await administrator.query(`begin; ${statement}`);
  return await work(administrator);
}
/** A trigger of an administrator's, in which a write of this lease takes long. */
const SLOW = `create function coordination_tables.take_long() returns trigger language plpgsql as $$ begin perform pg_sleep(20); return new; end $$;
  create trigger take_long before update on coordination_tables.objects for each row when (new.path = 'default/held') execute function coordination_tables.take_long()`;
const NO_LONGER_SLOW = 'drop trigger take_long on coordination_tables.objects; drop function coordination_tables.take_long()';
const takesLong = () =>
  eventually(
    async () => (await fixture.rows(`select from pg_stat_activity where usename = $1 and wait_event = 'PgSleep'`, [role])).length > 0,
  );

test('a SQL client that has the counter locked for long is ended after a second or two, and named', async () => {
  await fixture.client.query(SLOW);
  const renewal = client.renew('held', 'a').catch((error: unknown) => error);
  await takesLong();
  expect(await write()).toBeLessThan(4_000);
  expect(await renewal).toMatchObject({ code: '57P01' });
  expect(await write()).toBeLessThan(1_000);
  await fixture.client.query(NO_LONGER_SLOW);
  expect(lines).toEqual([expect.objectContaining({ msg: 'ended a SQL client that kept all writes waiting' })]);
  expect(lines[0]!.holder).toMatch(
    new RegExp(
      `^process \\d+ \\(role ${role}, active, a transaction of \\d s, "call coordination.lease_renew\\(.*"\\) has revision_counter locked$`,
    ),
  );
  expect(ended).toBe(1);
  client = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${role}:x@`));
});

test.each([
  ['an administrator', 'select from revision_counter for update', 'psql'],
  ["an administrator's procedure", `select from lease_revision()`, 'psql'],
  ['an administrator with a role of the owner', `set role OWNER; select from revision_counter for update`, 'psql'],
])('%s is named, by doctor too, and not ended', async (_, statement, application) => {
  const { owner } = (
    await fixture.rows<{ owner: string }>(`select relowner::regrole::text as owner from pg_class where oid = 'revision_counter'::regclass`)
  )[0]!;
  await beside(statement.replace('OWNER', owner), async (administrator) => {
    const written = write();
    await eventually(() => lines.some(({ msg }) => msg === 'a session keeps all writes waiting'));
    const { all: found } = await diagnose({ url: storeUrl(fixture.url), maxBytes: 0, maxEventBytes: 0 }, silent, Date.now);
    expect(found.find(({ check }) => check === 'revision counter')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^process \d+ \(role .* has revision_counter locked/),
    });
    await pause(2_000);
    await administrator.query('rollback');
    await written;
  });
  expect(ended).toBe(0);
  expect(lines).toHaveLength(1);
  expect(lines[0]!.holder).toMatch(application);
});

test("a session that has locked a lease's row is named, its writes wait, and all others continue", async () => {
  const key = { resource: 'leases.coordination.k8s.io', namespace: 'default', name: 'other' };
  await beside(`select from objects where path = 'default/other' for update`, async (administrator) => {
    const { object } = await store.get(key, { kind: 'latest' });
    const update = store.update(object!, { uid: object!.uid, data: object!.data, terminating: false });
    await eventually(() => lines.length > 0);
    await write();
    await administrator.query('rollback');
    await update;
  });
  expect(lines).toMatchObject([{ msg: 'other sessions have locked rows; writes of these rows wait' }]);
  expect(lines[0]!.holders).toEqual([
    expect.stringMatching(
      /^process \d+ \(role \w+, psql, idle in transaction, a transaction of \d s, "begin; select from objects .*"\) has objects locked$/,
    ),
  ]);
});

test("SQL clients whose lease's row somebody has locked are told so in a second, and hold up nobody", async () => {
  await using others = await LeaseClient.connect(fixture.url);
  await beside(`select from objects where path = 'default/held' for update`, async (administrator) => {
    const renewals = Array.from({ length: 3 }, () => client.renew('held', 'a').catch((error: { code: string }) => error.code));
    let longest = 0;
    for (let turn = 0; turn < 20; turn++) {
      const started = performance.now();
      expect(await others.renew('other', 'a')).toMatchObject({ renewed: true });
      longest = Math.max(longest, performance.now() - started, await write());
      await pause(50);
    }
    expect(longest).toBeLessThan(500);
    expect(new Set(await Promise.all(renewals))).toEqual(new Set(['55P03']));
    await administrator.query('rollback');
  });
  expect(await client.renew('held', 'a')).toMatchObject({ renewed: true });
});

test('a statement that waits for a table behind an open transaction, with all writes behind it, is cancelled and named', async () => {
  await using reader = await connected(fixture.url);
  await reader.query('begin; select from objects limit 1');
  await using dba = await connected({ connectionString: fixture.url, application_name: 'psql' });
  const vacuum = dba.query('vacuum full objects').catch((error: { code: string }) => error.code);
  await eventually(async () => (await fixture.rows(`select from pg_locks where mode = 'AccessExclusiveLock' and not granted`)).length > 0);
  expect(await write()).toBeLessThan(4_000);
  expect(await vacuum).toBe('57014');
  await eventually(() => lines.length > 0);
  expect(lines).toEqual([expect.objectContaining({ msg: 'cancelled a statement that kept all writes waiting' })]);
  expect(lines[0]!.holder).toMatch(/^process \d+ \(role \w+, psql, active, .*"vacuum full objects"\) waits to lock objects$/);
  expect(ended).toBe(1);
});

test('a transaction under a fencing token keeps no table from being locked that writes use', async () => {
  const { token } = await client.acquire('other', 'a');
  await using fenced = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${role}:x@`));
  await fenced.session.query('begin');
  await fenced.session.query(`select coordination.lease_assert('default', 'other', $1)`, [token]);
  await fixture.client.query(`set lock_timeout = '1s'`);
  for (const table of ['objects', 'lease_token']) await fixture.client.query(`vacuum full ${table}`);
  await fixture.client.query('reset lock_timeout');
  await fenced.session.query('commit');
});

test('a server that may not end others only names a SQL client, which PostgreSQL 17 and newer end after five seconds', async () => {
  const [owner, database] = [`owner_${role}`, await createEmptyDatabase()];
  const administrator = await connected(database.url);
  await administrator.query(`create role ${owner} login password 'x'; create schema coordination authorization ${owner};
    create schema coordination_tables authorization ${owner}`);
  const url = database.url.replace(/\/\/[^@]*@/, `//${owner}:x@`);
  const own = await openStore(url);
  try {
    await administrator.query(`select coordination.lease_grant('${role}', 'default')`);
    await administrator.query(`call coordination.lease_create_namespace('default')`);
    const theirs = await LeaseClient.connect(database.url.replace(/\/\/[^@]*@/, `//${role}:x@`));
    await theirs.acquire('held', 'a');
    await administrator.query(SLOW);
    let answer: string | undefined;
    theirs.renew('held', 'a').then(
      () => (answer = 'renewed'),
      ({ code }: { code: string }) => (answer = code),
    );
    await takesLong();
    const written = write(own);
    await eventually(() => lines.some(({ msg }) => msg === 'a session keeps all writes waiting'));
    expect(lines[0]!.holder).toMatch(`role ${role}`);
    const { rowCount: limits } = await administrator.query(`select from pg_settings where name = 'transaction_timeout'`);
    expect(await eventually(() => answer)).toBe(limits === 0 ? 'renewed' : '25P04');
    await written;
    await theirs.close();
    expect(ended).toBe(0);
  } finally {
    await own.close();
    await administrator.end();
    await database.drop();
    await fixture.client.query(`drop role ${owner}`);
  }
});
