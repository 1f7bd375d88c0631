import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { beforeAll, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { connected } from '../../support/connected.js';
import { pino } from 'pino';
import { openDatabase } from '../../../src/storage/database/start/open-database.js';
import { Database } from '../../../src/storage/database/database.js';
import { whoServes } from '../../../src/storage/maintenance/migration-status.js';
import { testNeeding } from '../../support/database-needs.js';
import { eventually } from '../../support/eventually.js';
import { storeUrl } from '../../support/store-url.js';
import { createEmptyDatabase, ownedUrl } from '../../support/test-database.js';
import { silent } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';

/*
 * Whoever may connect may take any advisory lock, and wait for it in front of others. Nothing of the server waits for one; what it locks, only
 * the owner of the schema may lock.
 */
const stranger = `stranger_${randomBytes(4).toString('hex')}`;
/** A lock of this kind has kept migrations waiting. */
const MIGRATING = '4712086353321764511';

const fixture = forAllTests(() => openFixture(1));
beforeAll(async () => {
  await fixture.client.query(`create role ${stranger} login password 'x'`);
});
const theirs = forAllTests(() => connected(fixture.url.replace(/\/\/[^@]*@/, `//${stranger}:x@`)));
afterAllTests(async () => {
  await fixture.client.query(`drop role ${stranger}`);
});

const create = (name: string) =>
  fixture.stores[0]!.create(
    { resource: 'leases.coordination.k8s.io', namespace: 'default', name },
    { uid: name, data: '{}', terminating: false },
  );
const endWriters = () =>
  fixture.client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name ~ ' writes$'`,
  );

test('advisory locks of a role without any right keep no server from writing, and none from starting', async () => {
  const oid = (await fixture.rows<{ oid: number }>(`select 'coordination_tables.revision_counter'::regclass::oid::integer as oid`))[0]!.oid;
  // not awaited: where a server has one of these locks, this session waits for it, and whoever comes later waits behind
  const locking = theirs.query(`select pg_advisory_lock(1953719668, ${oid}), pg_advisory_lock(${MIGRATING})`);
  locking.catch(() => undefined);
  await eventually(
    async () => (await fixture.rows(`select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'`)).length > 0,
  );
  let outcome: string | undefined;
  const serve = async () => {
    await endWriters();
    await create('after-a-reconnect');
    // the functions are applied anew
    await fixture.client.query(`delete from schema_migration where name like 'functions-%'`);
    await (await openDatabase({ url: storeUrl(fixture.url) }, silent)).close();
  };
  serve().then(
    () => (outcome = 'served'),
    (error: unknown) => (outcome = String(error)),
  );
  try {
    expect(
      await eventually(
        () => outcome,
        () => 'waits for a lock that anybody may take',
        30_000,
      ),
    ).toBe('served');
  } finally {
    await fixture.client.query(`select pg_cancel_backend(pid) from pg_stat_activity where usename = $1`, [stranger]);
    await locking.catch(() => undefined);
    await theirs.query('select pg_advisory_unlock_all()');
  }
});

test.each(['schema_migration_lock', 'serving_session', 'revision_counter', 'lease_writer_queue'])(
  'only the owner can lock the table %s',
  async (table) => {
    for (const mode of ['access share', 'exclusive']) {
      await expect(theirs.query(`begin; lock table coordination.${table} in ${mode} mode`)).rejects.toMatchObject({ code: '42501' });
      await theirs.query('rollback');
    }
  },
);

test('a start that waits for another migration says for whom', async () => {
  const said: string[] = [];
  const logger = pino(
    { base: null },
    new Writable({
      write: (line: Buffer, _, done) => {
        said.push((JSON.parse(line.toString()) as { msg: string }).msg);
        done();
      },
    }),
  );
  await using database = await createEmptyDatabase();
  await using other = await connected(ownedUrl(database.url));
  await other.query(`create schema coordination;
    create table coordination.schema_migration_lock (id varchar(255) primary key, is_locked integer not null default 0)`);
  await other.query('begin; lock table coordination.schema_migration_lock in exclusive mode');
  const opening = openDatabase({ url: ownedUrl(database.url) }, logger);
  await eventually(() => said.some((line) => line.startsWith('waiting to migrate')));
  await other.query('rollback');
  await (await opening).close();
  const { processID: pid } = other as unknown as { processID: number };
  expect(said.find((line) => line.startsWith('waiting'))).toMatch(
    new RegExp(`^waiting to migrate the schema: process ${pid} \\(role \\w+, `),
  );
});

testNeeding('detectable servers', 'servers are seen by their sessions, and nobody else is', async () => {
  const database = new Database({ url: storeUrl(fixture.url), pooling: 'session' }, silent);
  try {
    await create('serving');
    expect(await whoServes(database)).toMatchObject({ by: 'servers' });
    await fixture.stores[0]!.close();
    await fixture.client.query(`insert into serving_session values (1, now()), (pg_backend_pid(), '2000-01-01')`);
    expect(await whoServes(database)).toEqual({ by: 'nobody' });
    await theirs.query(`select pg_advisory_lock_shared(1953719668, $1)`, [
      (await fixture.rows<{ oid: number }>(`select 'coordination_tables.revision_counter'::regclass::oid::integer as oid`))[0]!.oid,
    ]);
    expect(await whoServes(database)).toEqual({ by: 'nobody' });
  } finally {
    await database.close();
  }
});
