import { sql, Kysely, PostgresDialect } from 'kysely';
import type { Database } from '../database.js';
import { DatabaseStartError } from '../session/database-start-error.js';
import type { DatabaseTables } from '../statement/database-tables.js';
import { SqlMigrations } from './sql-migrations.js';

/** Has a row for each migration, and one for the state of the functions. */
export const MIGRATION_TABLE = 'schema_migration';

/** The first and the last of the migrations that the baseline replaces. A database that has the last one has the baseline's tables. */
const FIRST_REPLACED = '0001_objects';
const LAST_REPLACED = '0027_locks_without_rights';
/** Whose program migrates earlier states to the last replaced one. */
const UPGRADING_COMMIT = '0eb2ecda';

/** What a database has of this program's schema. */
export interface SchemaState {
  /** Applied migrations, in their order; empty for an empty database. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Migrations of a newer version of the program, with which this one cannot work. */
  readonly unknown: readonly string[];
  /** Whether the replaced migrations have made its tables, so that it adopts the baseline instead of running it. */
  readonly isReplaced: boolean;
}

/** Reads it without changing anything. Rejects, with a DatabaseStartError, a schema that is too old. */
export async function readSchemaState(database: Database, migrations = new SqlMigrations()): Promise<SchemaState> {
  return schemaStateOf(kyselyOf(database), migrations);
}

/** As `readSchemaState`, within a transaction. */
export async function schemaStateOf(db: Kysely<DatabaseTables>, migrations: SqlMigrations): Promise<SchemaState> {
  const rows = await readNames(db);
  const [known, names] = [migrations.known(), migrations.names()];
  if (!rows.includes(FIRST_REPLACED)) {
    return {
      applied: names.filter((name) => rows.includes(name)),
      pending: names.filter((name) => !rows.includes(name)),
      unknown: rows.filter((name) => !known.includes(name)),
      isReplaced: false,
    };
  }
  if (rows.includes(LAST_REPLACED)) {
    return { applied: [], pending: names, unknown: rows.filter((name) => name > LAST_REPLACED), isReplaced: true };
  }
  throw new DatabaseStartError(
    `the database's schema is too old, its newest migration is ${rows.at(-1)}: upgrade it with the program of commit ${UPGRADING_COMMIT} first`,
  );
}

async function readNames(db: Kysely<DatabaseTables>): Promise<string[]> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${MIGRATION_TABLE}) is not null as found`.execute(db);
  if (!rows[0]?.found) return [];
  const names = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name collate "C"`.execute(db);
  return names.rows.map(({ name }) => name);
}

/** Rejects a schema that a newer version of the program has migrated. */
export function refuseNewer(state: SchemaState): SchemaState {
  if (state.unknown.length === 0) return state;
  throw new DatabaseStartError(
    `the database's schema is newer than this program: it has the migration ${state.unknown.join(', ')}: run that version, or revert the migration with it (migrate down --yes)`,
  );
}

/** A Kysely that uses the database's pool. It must not be destroyed; it ends with the database. */
export function kyselyOf(database: Database): Kysely<DatabaseTables> {
  const pool = { connect: () => database.connectForReads(), end: () => Promise.resolve(), options: {} };
  return new Kysely<DatabaseTables>({ dialect: new PostgresDialect({ pool }) });
}
