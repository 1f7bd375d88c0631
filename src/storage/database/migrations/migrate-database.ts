import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.js';
import { tablesSchema } from '../session/database-schema.js';
import { DatabaseStartError } from '../session/database-start-error.js';
import { AGAINST_MIGRATIONS, LIST_LOCK_HOLDERS, describeHolder } from '../session/lock-holders.js';
import { isTransient, sqlState } from '../session/pg-errors.js';
import type { DatabaseTables } from '../statement/database-tables.js';
import {
  type SchemaState,
  MIGRATION_TABLE,
  SqlMigrations,
  isFunctions,
  kyselyOf,
  readSchemaState,
  refuseNewer,
  schemaStateOf,
} from './schema-state.js';

const LOCK_NOT_AVAILABLE = '55P03';
const CANCELED = '57014';

/** While a migration waits for a table, the writes of running servers queue up behind it. */
const LOCK_MS = 100;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** How long a migration tries to lock its tables. */
const PATIENCE_MS = 60_000;

/** How migrations are applied. */
interface MigrationOptions {
  readonly migrations?: SqlMigrations;
  readonly patienceMs?: number;
  /** Called, with one line, when a migration waits for somebody else's transaction. */
  readonly onWait?: (text: string) => void;
  /** Called before a schema is created where there is none. If it throws, nothing is created. */
  readonly onCreate?: () => void;
}

/**
 * Migrates the schema to this program's version, creating it if needed. Of replicas that start at once, one migrates while the others wait.
 * Each migration of existing tables has a transaction of its own, and so have the functions, which come last. It waits for locks only briefly, and
 * tries again after a pause if a long transaction has them, so that the servers of the version before hardly wait. Rejects a schema that a newer
 * version of the program has migrated.
 */
export async function migrateDatabase(database: Database, options: MigrationOptions = {}): Promise<void> {
  const { migrations = new SqlMigrations() } = options;
  const found = refuseNewer(await readSchemaState(database, migrations));
  if (found.pending.length === 0) return;
  const { applied, isReplaced } = found;
  const target = { migrations, schema: database.schema };
  // Nobody uses the tables yet, and half a schema would be refused as another program's.
  if (applied.length === 0 && !isReplaced) {
    options.onCreate?.();
    await inTransaction(database, (db) => createSchema(db, target), options.onWait);
  }
  for (;;) {
    const name = refuseNewer(await readSchemaState(database, migrations)).pending[0];
    if (name === undefined) return;
    const relations = migrations.locks(name);
    await attempt(database, { ...options, name, relations }, async (transaction) => {
      const state = refuseNewer(await schemaStateOf(transaction, migrations));
      // Another replica may have been first.
      if (state.pending[0] !== name) return;
      if (relations.length > 0) await lockRelations(transaction, relations);
      await applyMigration(transaction, target, name, state);
    });
  }
}

async function createSchema(transaction: Kysely<DatabaseTables>, target: Target): Promise<void> {
  const state = await schemaStateOf(transaction, target.migrations);
  // Another replica may have been first.
  if (state.applied.length > 0 || state.isReplaced) return;
  for (const name of state.pending) await applyMigration(transaction, target, name, state);
}

/** Reverts the newest migration, if there is one. */
export async function revertDatabase(database: Database, options: MigrationOptions = {}): Promise<void> {
  const { migrations = new SqlMigrations() } = options;
  const name = refuseNewer(await readSchemaState(database, migrations)).applied.at(-1);
  if (name === undefined) return;
  await attempt(database, { ...options, name, relations: undefined }, async (transaction) =>
    revertMigration(transaction, { migrations, schema: database.schema }, await schemaStateOf(transaction, migrations)),
  );
}

type Work = (transaction: Kysely<DatabaseTables>) => Promise<void>;

interface Attempt extends MigrationOptions {
  readonly name: string;
  /** What it locks; undefined if that is unknown. */
  readonly relations: readonly string[] | undefined;
}

/** Does the work in a transaction, and again for as long as somebody else's locks are in its way. */
async function attempt(database: Database, { name, relations, patienceMs = PATIENCE_MS, onWait }: Attempt, work: Work): Promise<void> {
  const deadline = Date.now() + patienceMs;
  let said: number | null | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await inTransaction(
        database,
        async (transaction) => {
          await sql`set local lock_timeout = ${sql.lit(`${LOCK_MS}ms`)}`.execute(transaction);
          await work(transaction);
        },
        onWait,
      );
    } catch (error) {
      if (!isLocked(error)) throw error;
      const holders = await database.query(LIST_LOCK_HOLDERS, [relations ?? null, null]);
      const whose = holders.map(describeHolder).join('; ') || 'other transactions have its tables locked';
      const waits = `the migration ${name} waits for a lock: ${whose}`;
      if (Date.now() > deadline) {
        throw new DatabaseStartError(
          `${waits}: end that transaction, or try again later; after ${Math.round(patienceMs / 1000)} s this migration has changed nothing`,
        );
      }
      const oldest = holders[0]?.pid;
      if (oldest !== said) onWait?.(waits);
      said = oldest;
    }
    await sleep(pause * (0.75 + Math.random() / 2));
  }
}

async function inTransaction(database: Database, work: Work, onWait: (text: string) => void = () => undefined): Promise<void> {
  await createMigrationTables(kyselyOf(database), database.schema);
  await kyselyOf(database)
    .transaction()
    .execute(async (transaction) => {
      await lockMigrations(transaction, database, onWait);
      await work(transaction);
    });
}

/** A table that a migration needs is locked by somebody else. */
class TableLocked extends Error {}

/**
 * All in one go, because a migration would hold the first while it waits for the next. A view is locked by itself, since LOCK would lock all
 * tables that it reads. `lock_timeout` would limit the wait for each partition of a table.
 */
async function lockRelations(transaction: Kysely<DatabaseTables>, relations: readonly string[]): Promise<void> {
  const found = await sql<{ name: string; is_view: boolean }>`
    select relname as name, relkind = 'v' as is_view from pg_class
    where relnamespace in (select oid from pg_namespace where nspname = any(current_schemas(false))) and relname = any(${relations}) and pg_table_is_visible(oid)
    order by array_position(${relations}::text[], relname::text)`.execute(transaction);
  const views = found.rows.filter(({ is_view }) => is_view).map(({ name }) => sql`alter view ${sql.table(name)} reset (security_barrier)`);
  const tables = found.rows.filter(({ is_view }) => !is_view).map(({ name }) => sql.table(name));
  const statements = tables.length > 0 ? [...views, sql`lock table ${sql.join(tables)} in access exclusive mode`] : views;
  const before = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(transaction);
  await sql`set local statement_timeout = ${sql.lit(`${LOCK_MS}ms`)}`.execute(transaction);
  for (const statement of statements) {
    await statement.execute(transaction).catch((error: unknown) => {
      throw sqlState(error) === CANCELED ? new TableLocked('a table is locked', { cause: error }) : error;
    });
  }
  await sql`set local statement_timeout = ${sql.lit(before.rows[0]?.limit ?? '0')}`.execute(transaction);
}

/** Whether somebody else's lock is the cause: a wait that was too long, or a deadlock. */
function isLocked(error: unknown): boolean {
  if (error instanceof TableLocked || isTransient(error) || sqlState(error) === LOCK_NOT_AVAILABLE) return true;
  return error instanceof DatabaseStartError && isLocked(error.cause);
}

const BASELINE = '0001_baseline';

/** Migrations, and the schema that they are for. */
interface Target {
  readonly migrations: SqlMigrations;
  readonly schema: string;
}

/** Applies a pending migration, or the functions, in the caller's transaction, and notes it. */
async function applyMigration(
  db: Kysely<DatabaseTables>,
  { migrations, schema }: Target,
  name: string,
  { isReplaced }: SchemaState,
): Promise<void> {
  if (isReplaced) await adoptBaseline(db);
  else await sql.raw(migrations.up(name, schema)).execute(db);
  if (isFunctions(name)) await sql`delete from ${sql.table(MIGRATION_TABLE)} where name like 'functions-%'`.execute(db);
  await note(db, [name]);
}

/**
 * Reverts the newest migration in the caller's transaction. Functions come last and have no text of before: the version before finds them missing,
 * and applies its own when it starts; one from before the baseline works with those that stay, as it does beside this version in an upgrade.
 */
async function revertMigration(db: Kysely<DatabaseTables>, { migrations, schema }: Target, { applied }: SchemaState): Promise<void> {
  const newest = applied.at(-1);
  if (newest === undefined) return;
  if (newest === BASELINE) {
    await restoreReplaced(db);
  } else {
    if (!isFunctions(newest)) await sql.raw(migrations.down(newest, schema)).execute(db);
    await forget(db, newest);
  }
}

/** Notes that the replaced migrations have made what the baseline makes, and which these were: in the table's comment, for the way back. */
async function adoptBaseline(db: Kysely<DatabaseTables>): Promise<void> {
  await sql`
    do $$ begin
      execute (select format('comment on table ${sql.table(MIGRATION_TABLE)} is %L', string_agg(name, ' ' order by name)) from ${sql.table(MIGRATION_TABLE)});
    end $$`.execute(db);
  await sql`delete from ${sql.table(MIGRATION_TABLE)}`.execute(db);
  // Nothing calls it any more.
  await sql`drop function if exists lease_last_write(jsonb)`.execute(db);
}

async function restoreReplaced(db: Kysely<DatabaseTables>): Promise<void> {
  const { rows } = await sql<{ names: string[] | null }>`
    select string_to_array(obj_description(${MIGRATION_TABLE}::regclass, 'pg_class'), ' ') as names`.execute(db);
  const names = rows[0]?.names;
  if (!names) throw new DatabaseStartError(`${BASELINE} has made this schema, and nothing goes back before it: drop the schema instead`);
  await sql`delete from ${sql.table(MIGRATION_TABLE)}`.execute(db);
  await note(db, names);
}

async function note(db: Kysely<DatabaseTables>, names: readonly string[]): Promise<void> {
  const moment = new Date().toISOString();
  await sql`insert into ${sql.table(MIGRATION_TABLE)} (name, timestamp) select name, ${moment} from unnest(${names}::text[]) name`.execute(
    db,
  );
}

async function forget(db: Kysely<DatabaseTables>, name: string): Promise<void> {
  await sql`delete from ${sql.table(MIGRATION_TABLE)} where name = ${name}`.execute(db);
}

/** Only the owner of the schema may lock it in a mode that counts: without a right, others can do so in weaker ones. */
const MIGRATION_LOCK_TABLE = 'schema_migration_lock';

/** Another session has created the schema or the table at the same time. */
const EXISTS = ['23505', '42710', '42P06', '42P07'];
const TELL_AFTER_MS = 1_000;

const TABLES = [
  [MIGRATION_LOCK_TABLE, 'id varchar(255) primary key, is_locked integer not null default 0'],
  [MIGRATION_TABLE, 'name varchar(255) not null primary key, timestamp varchar(255) not null'],
] as const;

/** Creates the schema, and the tables in it that migrations begin with, where there are none. */
async function createMigrationTables(db: Kysely<DatabaseTables>, schema: string): Promise<void> {
  const { rows } = await sql<{ schema: boolean; tables: string[] }>`
    select exists (select from pg_namespace where nspname = ${schema}) as schema,
           array(select tablename::text from pg_tables where schemaname in (${schema}, ${tablesSchema(schema)})) as tables`.execute(db);
  const create = [
    ...(rows[0]?.schema ? [] : [sql`create schema ${sql.id(schema)}`]),
    ...TABLES.filter(([name]) => !rows[0]?.tables.includes(name)).map(
      ([name, columns]) => sql`create table ${sql.id(schema, name)} (${sql.raw(columns)})`,
    ),
  ];
  for (const statement of create) {
    await statement.execute(db).catch((error: unknown) => {
      if (!EXISTS.includes(sqlState(error) ?? '')) throw error;
    });
  }
}

/**
 * Waits until no other process migrates, at most for the time limit of statements. The lock ends with the transaction. `onWait` is told, in
 * one line, who has it.
 */
async function lockMigrations(transaction: Kysely<DatabaseTables>, database: Database, onWait: (text: string) => void): Promise<void> {
  const tell = (what: string) => onWait(`waiting to migrate the schema: ${what}`);
  const look = async () => {
    const holders = await database.query(LIST_LOCK_HOLDERS, [[MIGRATION_LOCK_TABLE], AGAINST_MIGRATIONS]);
    tell(holders.map(describeHolder).join('; '));
  };
  const timer = setTimeout(() => void look().catch((error: unknown) => tell(String(error))), TELL_AFTER_MS);
  try {
    await sql`lock table ${sql.id(MIGRATION_LOCK_TABLE)} in share update exclusive mode`.execute(transaction);
  } finally {
    clearTimeout(timer);
  }
}
