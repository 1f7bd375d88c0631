import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Database } from '../../../src/storage/database/database.js';
import { appliedMigrations, migrateDatabase, revertDatabase } from '../../../src/storage/database/migrations/migrate-database.js';
import { SqlMigrations } from '../../../src/storage/database/migrations/sql-migrations.js';
import { testNeeding } from '../../support/database-needs.js';
import { eventually } from '../../support/eventually.js';
import { storeUrl } from '../../support/store-url.js';
import type { TestDatabase } from '../../support/test-database.js';
import { createTestDatabase } from '../../support/test-database.js';
import { silent } from './open-test-store.js';
import { pause } from './postgres-fixture.js';

/** Locks that let reads and writes of rows pass. */
const HARMLESS = ['AccessShareLock', 'RowShareLock', 'RowExclusiveLock', 'ShareUpdateExclusiveLock'];

describe('migrations', () => {
  let test: TestDatabase;
  let client: pg.Client;
  let database: Database;

  const connect = async () => {
    const session = new pg.Client(test.url);
    session.on('error', () => undefined);
    await session.connect();
    return session;
  };
  beforeEach(async () => {
    test = await createTestDatabase();
    client = await connect();
    database = new Database({ url: storeUrl(test.url), readTimeoutMs: 60_000 }, silent);
  });
  afterEach(async () => {
    await database.close();
    await client.end();
    await test.drop();
  });

  const revertTo = async (name: string) => {
    while ((await appliedMigrations(database)).at(-1) !== name) await revertDatabase(database);
  };

  it('lock of earlier tables what migrations/LOCKS says, and neither rewrite nor read them', async () => {
    await revertTo('0001_objects');
    await client.query(`insert into objects (resource, path, uid, revision, terminating, data)
      select 'r', 'p' || n, 'u', n, false, '{}' from generate_series(1, 1000) n; analyze objects`);
    const migrations = new SqlMigrations();
    const stated = await migrations.locks();
    for (const name of (await migrations.names()).slice(1)) {
      await client.query('begin; set local search_path = coordination');
      await client.query(`create temporary table before on commit drop as
        select oid, relname::text, pg_relation_filenode(oid) as file from pg_class where relnamespace = 'coordination'::regnamespace`);
      await client.query(readFileSync(new URL(`../../../migrations/${name}.up.sql`, import.meta.url), 'utf8'));
      const { rows } = await client.query<{ relname: string; file: number; file_now: number; is_locked: boolean }>(
        `select b.relname, b.file, pg_relation_filenode(b.oid) as file_now,
           exists (select from pg_locks l where l.relation = b.oid and l.pid = pg_backend_pid() and l.mode <> all ($1)) as is_locked
         from before b join pg_class c using (oid) where c.relkind in ('r', 'p', 'v') and not c.relispartition order by 1`,
        [HARMLESS],
      );
      const locked = rows.filter(({ is_locked }) => is_locked).map(({ relname }) => relname);
      expect([name, locked]).toEqual([name, [...(stated.get(name) ?? [])].sort()]);
      expect(rows.filter(({ file, file_now }) => file !== file_now)).toEqual([]);
      const read = await client.query(`select relname from pg_stat_xact_user_tables where seq_tup_read >= 1000`);
      expect([name, read.rows]).toEqual([name, []]);
      await client.query('commit');
    }
  });

  it('of existing tables hardly delay writers while a long transaction has a table locked, and say whose it is', async () => {
    await revertTo('0009_tokens_of_a_term');
    const reader = await connect();
    await reader.query(`begin; select * from lease_terms /* a report */`);
    const { processID: pid } = reader as unknown as { processID: number };
    const said: string[] = [];
    const migrated = migrateDatabase(database, { onWait: (text) => said.push(text) });
    let longest = 0;
    for (const end = Date.now() + 3_000; Date.now() < end;) {
      const start = Date.now();
      await client.query(`update lease_term set labels = null where segment = 0 and lease = 'a' and namespace = 'b'`);
      longest = Math.max(longest, Date.now() - start);
    }
    // Without the limit of locks a writer would wait for the reader, that is for ever.
    expect(longest).toBeLessThan(2_000);
    expect(await appliedMigrations(database)).toContain('0009_tokens_of_a_term');
    expect(await appliedMigrations(database)).not.toContain('0010_lapses');
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(`^the migration 0010_lapses waits for a lock: process ${pid} \\(role .*a report.*\\) has .*lease_term.* locked$`),
      ),
    ]);
    await reader.query('commit');
    await migrated;
    await reader.end();
    expect(await appliedMigrations(database)).toEqual(await new SqlMigrations().names());
  });

  it('give up after a while, with the transaction that was in the way, and keep what was migrated before', async () => {
    await revertTo('0008_lease_terms');
    const reader = await connect();
    await reader.query(`begin; select * from lease_terms`);
    await expect(migrateDatabase(database, { patienceMs: 500 })).rejects.toThrow(
      /0010_lapses waits for a lock: .*process \d+.*: end that transaction, or try again later; after 1 s this migration has changed nothing/,
    );
    expect((await appliedMigrations(database)).at(-1)).toBe('0009_tokens_of_a_term');
    await reader.end();
    await migrateDatabase(database);
  });

  it('are applied once by replicas that migrate at the same time', async () => {
    await revertTo('0009_tokens_of_a_term');
    const other = new Database({ url: storeUrl(test.url) }, silent);
    await Promise.all([migrateDatabase(database), migrateDatabase(other)]);
    await other.close();
    expect(await appliedMigrations(database)).toEqual(await new SqlMigrations().names());
  });

  testNeeding('sessions', 'leave the queue for a lock when their process is killed', async () => {
    const holder = await connect();
    await holder.query('begin; select from objects');
    const killed = await database.connect('command');
    const { rows } = await killed.query<{ pid: number }>('select pg_backend_pid() as pid');
    killed.query('begin; lock table objects in access exclusive mode').catch(() => undefined);
    const waits = async () =>
      (await client.query(`select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`, [rows[0]!.pid])).rowCount === 1;
    await eventually(waits);
    (killed as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    await pause(2_000);
    expect(await waits()).toBe(false);
    await holder.end();
  });
});
