import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { MigrationResultSet } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import type { Database } from '../database.js';
import { DatabaseStartError } from '../session/database-start-error.js';
import { startFailure } from '../session/start-failure.js';
import type { DatabaseTables } from '../statement/database-tables.js';
import { kyselyOf } from './kysely-of.js';
import { lockMigrations } from './migration-lock.js';
import { SqlMigrations } from './sql-migrations.js';

const MIGRATION_TABLE = 'schema_migration';
const MIGRATION_LOCK_TABLE = 'schema_migration_lock';

/**
 * Migrates the schema to this program's version, creating it if needed. Of replicas that start at once, one migrates while the others wait.
 * Rejects a schema that a newer version of the program has migrated.
 */
export async function migrateDatabase(database: Database, provider = new SqlMigrations()): Promise<void> {
  await refuseNewer(database, provider);
  await inTransaction(database, provider, (migrator) => migrator.migrateToLatest());
}

/** Reverts the newest migration, if there is one. */
export async function revertDatabase(database: Database, provider = new SqlMigrations()): Promise<void> {
  if ((await refuseNewer(database, provider)).length === 0) return;
  await inTransaction(database, provider, (migrator) => migrator.migrateDown());
}

/** Takes the lock first: of two replicas that create Kysely's own tables at once, one would fail. */
async function inTransaction(
  database: Database,
  provider: SqlMigrations,
  migrate: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<void> {
  const run = async (transaction: Kysely<DatabaseTables>) => {
    await lockMigrations(transaction);
    const { error } = await migrate(migratorOf(transaction, database.schema, provider));
    if (error) throw startFailure(error);
  };
  await kyselyOf(database).transaction().execute(run);
}

async function refuseNewer(database: Database, provider: SqlMigrations): Promise<string[]> {
  const known = new Set(await provider.names());
  const applied = await appliedMigrations(database);
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length === 0) return applied;
  throw new DatabaseStartError(
    `the database's schema is newer than this program: it has the migration ${unknown.join(', ')}: run that version, or revert the migration with it (migrate down --yes)`,
  );
}

function migratorOf(db: Kysely<DatabaseTables>, schema: string, provider: SqlMigrations): Migrator {
  return new Migrator({
    db,
    provider,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
    // Without it, Kysely would use tables of the same name in another schema.
    migrationTableSchema: schema,
  });
}

/** Names of the applied migrations; none in an empty database. */
export async function appliedMigrations(database: Database): Promise<string[]> {
  const db = kyselyOf(database);
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${MIGRATION_TABLE}) is not null as found`.execute(db);
  if (!rows[0]?.found) return [];
  const applied = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db);
  return applied.rows.map(({ name }) => name);
}
