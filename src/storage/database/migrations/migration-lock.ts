import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.js';
import { AGAINST_MIGRATIONS, describeHolder, LIST_LOCK_HOLDERS } from '../session/lock-holders.js';
import { tablesSchema } from '../session/database-schema.js';
import { sqlState } from '../session/pg-errors.js';
import type { DatabaseTables } from '../statement/database-tables.js';
import { MIGRATION_TABLE } from './schema-state.js';

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
export async function createMigrationTables(db: Kysely<DatabaseTables>, schema: string): Promise<void> {
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
    await sql`lock table ${sql.id(MIGRATION_LOCK_TABLE)} in share update exclusive mode`.execute(transaction);
  } finally {
    clearTimeout(timer);
  }
}
