import type { DialectAdapter, Kysely } from 'kysely';
import { PostgresAdapter, PostgresDialect, sql } from 'kysely';
import type { Database } from '../database.js';
import { AGAINST_MIGRATIONS, describeHolder, LIST_LOCK_HOLDERS } from '../session/lock-holders.js';
import { sqlState } from '../session/pg-errors.js';
import type { DatabaseTables } from '../statement/database-tables.js';

/** Kysely's table, which only the owner of the schema may lock in a mode that counts: without a right, others can do so in weaker ones. */
export const MIGRATION_LOCK_TABLE = 'schema_migration_lock';

/** Another session has created the schema or the table at the same time. */
const EXISTS = ['23505', '42P06', '42P07'];
const TELL_AFTER_MS = 1_000;

/** Creates the table that is locked, with its schema, where there is none. Columns are Kysely's. */
export async function createMigrationLock(db: Kysely<DatabaseTables>, schema: string): Promise<void> {
  const { rows } = await sql<{ schema: boolean; table: boolean }>`
    select exists (select from pg_namespace where nspname = ${schema}) as schema,
           exists (select from pg_tables where schemaname = ${schema} and tablename = ${MIGRATION_LOCK_TABLE}) as table`.execute(db);
  const missing = [
    ...(rows[0]?.schema ? [] : [sql`create schema ${sql.id(schema)}`]),
    ...(rows[0]?.table
      ? []
      : [sql`create table ${sql.id(schema, MIGRATION_LOCK_TABLE)} (id varchar(255) primary key, is_locked integer not null default 0)`]),
  ];
  for (const create of missing) {
    await create.execute(db).catch((error: unknown) => {
      if (!EXISTS.includes(sqlState(error) ?? '')) throw error;
    });
  }
}

/**
 * Waits until no other process migrates, at most for the time limit of statements. The lock ends with the transaction. `onWait` is told, in
 * one line, who has it.
 */
export async function lockMigrations(
  transaction: Kysely<DatabaseTables>,
  database: Database,
  onWait: (text: string) => void,
): Promise<void> {
  const tell = (what: string) => onWait(`waiting to migrate the schema: ${what}`);
  const look = async () => {
    const holders = await database.query(LIST_LOCK_HOLDERS, [[MIGRATION_LOCK_TABLE], AGAINST_MIGRATIONS]);
    tell(holders.map(describeHolder).join('; '));
  };
  const timer = setTimeout(() => void look().catch((error: unknown) => tell(String(error))), TELL_AFTER_MS);
  try {
    await sql`lock table ${sql.id(database.schema, MIGRATION_LOCK_TABLE)} in share update exclusive mode`.execute(transaction);
  } finally {
    clearTimeout(timer);
  }
}

/** Kysely's own lock belongs to the session, and behind a pooler it would outlive its holder. `lockMigrations` replaces it. */
class NoLockAdapter extends PostgresAdapter {
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve();
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

/** Kysely's PostgreSQL without its migration lock. */
export class NoLockDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new NoLockAdapter();
  }
}
