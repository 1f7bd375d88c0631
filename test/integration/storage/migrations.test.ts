import { beforeAll, describe, expect, it } from '@jest/globals';
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../../../src/storage/database/database.js';
import { migrateDatabase, revertDatabase } from '../../../src/storage/database/migrations/migrate-database.js';
import { SqlMigrations, isFunctions, readSchemaState } from '../../../src/storage/database/migrations/schema-state.js';
import { folderAt } from '../../../src/settings/program-files.js';
import { schemaText } from '../../schema/schema-text.js';
import { connected } from '../../support/connected.js';
import { testNeeding } from '../../support/database-needs.js';
import { forEachTest } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { storeUrl } from '../../support/store-url.js';
import { createTestDatabase } from '../../support/test-database.js';
import { silent } from './open-test-store.js';
import { pause } from './postgres-fixture.js';

/** Locks that let reads and writes of rows pass. */
const HARMLESS = ['AccessShareLock', 'RowShareLock', 'RowExclusiveLock', 'ShareUpdateExclusiveLock'];
const MIGRATIONS = path.resolve(import.meta.dirname, '../../../migrations');
const GREETING = `create or replace function @extschema@.lease_greeting() returns text language sql as 'select text ''later'''`;

describe('migrations', () => {
  /** Those of this version. */
  const migrations = new SqlMigrations();
  /** Those of a later version, with one that locks a view and a table, and with another function. */
  let later: SqlMigrations;
  let names: readonly string[];
  const dir = scratchDirectory();
  const test = forEachTest(() => createTestDatabase());
  const client = forEachTest(() => connected(test.url));
  const database = forEachTest(() => new Database({ url: storeUrl(test.url), readTimeoutMs: 60_000 }, silent));

  beforeAll(() => {
    cpSync(MIGRATIONS, dir, { recursive: true });
    appendFileSync(path.join(dir, 'ORDER'), '0999_notes\nfunctions-later\n');
    appendFileSync(path.join(dir, 'LOCKS'), '0999_notes lease_terms lease_term\n');
    const view =
      'create or replace view coordination.lease_terms as select namespace, lease, holder, token, began, until, reason, duration_seconds,';
    const columns = 'transitions, renewed, lease_uid, uid, lease_json(labels) as labels, lapsed, lapsed_at, lapses';
    writeFileSync(path.join(dir, '0999_notes.up.sql'), `${view} ${columns} from lease_term; alter table lease_term add column note text;`);
    writeFileSync(path.join(dir, '0999_notes.down.sql'), 'alter table lease_term drop column note;');
    writeFileSync(path.join(dir, 'functions/lease-greeting.sql'), `${GREETING};\n`);
    later = new SqlMigrations(folderAt(dir));
    names = later.names();
  });

  const applied = async (known = later) => (await readSchemaState(database, known)).applied;
  const migrate = (options: Parameters<typeof migrateDatabase>[1] = {}) => migrateDatabase(database, { migrations: later, ...options });

  it('lock of earlier tables what migrations/LOCKS says, and neither rewrite nor read them', async () => {
    await client.query(`insert into objects (resource, path, uid, revision, terminating, data)
      select 'r', 'p' || n, 'u', n, false, '{}' from generate_series(1, 1000) n; analyze objects`);
    for (const name of names.filter((each) => !isFunctions(each)).slice(1, -1)) await client.query(migrations.down(name, 'coordination'));
    for (const name of names.slice(1)) {
      await client.query('begin; set local search_path = coordination_tables, coordination');
      await client.query(`create temporary table before on commit drop as
        select oid, relname::text, pg_relation_filenode(oid) as file from pg_class where relnamespace in (select oid from pg_namespace where nspname like 'coordination%')`);
      await client.query(later.up(name, 'coordination'));
      const { rows } = await client.query<{ relname: string; file: number; file_now: number; is_locked: boolean }>(
        `select b.relname, b.file, pg_relation_filenode(b.oid) as file_now,
           exists (select from pg_locks l where l.relation = b.oid and l.pid = pg_backend_pid() and l.mode <> all ($1)) as is_locked
         from before b join pg_class c using (oid) where c.relkind in ('r', 'p', 'v') and not c.relispartition order by 1`,
        [HARMLESS],
      );
      const locked = rows.filter(({ is_locked }) => is_locked).map(({ relname }) => relname);
      expect([name, locked]).toEqual([name, [...later.locks(name)].sort()]);
      expect(rows.filter(({ file, file_now }) => file !== file_now)).toEqual([]);
      const read = await client.query(`select relname from pg_stat_xact_user_tables where seq_tup_read >= 1000`);
      expect([name, read.rows]).toEqual([name, []]);
      await client.query('commit');
    }
  });

  it('of existing tables hardly delay writers while a long transaction has a table locked, and say whose it is', async () => {
    const reader = await connected(test.url);
    await reader.query(`begin; select * from lease_terms /* a report */`);
    const { processID: pid } = reader as unknown as { processID: number };
    const said: string[] = [];
    const migrated = migrate({ onWait: (text) => said.push(text) });
    let longest = 0;
    for (const end = Date.now() + 3_000; Date.now() < end;) {
      const start = Date.now();
      await client.query(`update lease_term set labels = null where segment = 0 and lease = 'a' and namespace = 'b'`);
      longest = Math.max(longest, Date.now() - start);
    }
    // Without the limit of locks a writer would wait for the reader, that is for ever.
    expect(longest).toBeLessThan(2_000);
    expect(await applied()).not.toContain('0999_notes');
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(`^the migration 0999_notes waits for a lock: process ${pid} \\(role .*a report.*\\) has .*lease_term.* locked$`),
      ),
    ]);
    await reader.query('commit');
    await migrated;
    await reader.end();
    expect(await applied()).toEqual(names);
  });

  it('give up after a while, with the transaction that was in the way, and keep what was migrated before', async () => {
    const reader = await connected(test.url);
    await reader.query('begin; select * from leases');
    await expect(migrate({ patienceMs: 500 })).rejects.toThrow(
      /functions-later waits for a lock: .*process \d+.*: end that transaction, or try again later; after 1 s this migration has changed nothing/,
    );
    expect((await applied()).at(-1)).toBe('0999_notes');
    await reader.end();
    await migrate();
  });

  it('are applied once by replicas that migrate at the same time', async () => {
    const other = new Database({ url: storeUrl(test.url) }, silent);
    await Promise.all([migrate(), migrateDatabase(other, { migrations: later })]);
    await other.close();
    expect(await applied()).toEqual(names);
  });

  it('put other functions in the place of those that are there, also under a table that is fenced', async () => {
    await client.query(`create table public.account (token bigint);
      create trigger fence before insert on public.account for each row execute function coordination.fence('default/a')`);
    await client.query(
      `create or replace function coordination.lease_whole_time(given timestamptz) returns text language sql as 'select text ''old'''`,
    );
    await migrate();
    const { rows } = await client.query(`select lease_greeting(), lease_whole_time('2026-01-02 03:04:05Z')`);
    expect(rows).toEqual([{ lease_greeting: 'later', lease_whole_time: '2026-01-02T03:04:05Z' }]);
    expect((await client.query(`select name from schema_migration where name like 'functions-%'`)).rows).toEqual([
      { name: 'functions-later' },
    ]);
  });

  it('of a later version are refused until they are reverted, and then this version puts its own functions back', async () => {
    await migrate();
    await client.query(
      `create or replace function coordination.lease_whole_time(given timestamptz) returns text language sql as 'select text ''later'''`,
    );
    await expect(migrateDatabase(database)).rejects.toThrow(
      'newer than this program: it has the migration 0999_notes, functions-later: run',
    );
    await revertDatabase(database, { migrations: later });
    await revertDatabase(database, { migrations: later });
    expect(await applied(migrations)).toEqual(['0001_baseline', '0002_tables_apart']);
    await migrateDatabase(database);
    expect((await client.query(`select lease_whole_time('2026-01-02 03:04:05Z') as time`)).rows).toEqual([
      { time: '2026-01-02T03:04:05Z' },
    ]);
  });

  describe('that the baseline has replaced', () => {
    /** As at the end of those. */
    const REPLACED = ['0001_objects', '0018_terms_composed_of_less', '0027_locks_without_rights'];
    const makeReplaced = (replaced = REPLACED) =>
      client.query(`delete from schema_migration;
        insert into schema_migration select name, now()::text from unnest('{${replaced.join()}}'::text[]) name;
        create function lease_last_write(lease jsonb) returns timestamptz language sql as 'select now()'`);

    it('leave a schema that adopts the baseline, with its tables as they are, and that goes back', async () => {
      await makeReplaced();
      const files = async () => {
        const { rows } = await client.query<object>(`select relname, pg_relation_filenode(oid), xmin::text from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'i', 'I') order by 1`);
        return rows;
      };
      const before = await files();
      await migrateDatabase(database);
      expect(await applied(migrations)).toEqual(migrations.names());
      expect(await files()).toEqual(before);
      const text = readFileSync(path.join(MIGRATIONS, 'schema.sql'), 'utf8');
      const { rows } = await client.query<{ major: number }>(`select current_setting('server_version_num')::int / 10000 as major`);
      await client.query('set search_path = coordination_tables, coordination');
      if (rows[0]?.major === 18) expect(text).toBe(`${text.split('\n', 1)[0]}\n\n${await schemaText(client)}`);
      for (let n = 0; n < 3; n++) await revertDatabase(database);
      expect((await client.query<{ name: string }>('select name from schema_migration order by 1')).rows.map(({ name }) => name)).toEqual(
        REPLACED,
      );
      await expect(migrateDatabase(database)).resolves.toBeUndefined();
    });

    it('are named, with the commit that applies the rest, where some are missing', async () => {
      await makeReplaced(REPLACED.slice(0, 2));
      await expect(migrateDatabase(database)).rejects.toThrow(
        /^the database's schema is too old, its newest migration is 0018_terms_composed_of_less: upgrade it with the program of commit [0-9a-f]{8} first$/,
      );
    });

    it('are refused with newer ones of another history', async () => {
      await makeReplaced([...REPLACED, '0028_other']);
      await expect(migrateDatabase(database)).rejects.toThrow('it has the migration 0028_other: run that version');
    });
  });

  it('are not reverted before the baseline', async () => {
    for (let n = 0; n < 2; n++) await revertDatabase(database);
    await expect(revertDatabase(database)).rejects.toThrow('0001_baseline has made this schema, and nothing goes back before it');
    expect(await applied(migrations)).toEqual(['0001_baseline']);
  });

  testNeeding('sessions', 'leave the queue for a lock when their process is killed', async () => {
    const holder = await connected(test.url);
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
