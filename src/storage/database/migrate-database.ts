import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Database } from './database.js';
import { DatabaseStartError } from './database-start-error.js';
import { kyselyOf } from './kysely-of.js';
import { SqlMigrations } from './sql-migrations.js';
import { startFailure } from './start-failure.js';

const MIGRATION_TABLE = 'schema_migration';
const MIGRATION_LOCK_TABLE = 'schema_migration_lock';

/**
 * Brings the schema up to this program's version, and makes it where there is none. Replicas that start at once agree: one migrates, the
 * others wait and find it done. Refuses a schema that a newer version of the program made.
 */
export async function migrateDatabase(database: Database, provider = new SqlMigrations()): Promise<void> {
  await refuseNewer(database, provider);
  const { error } = await migratorOf(database, provider).migrateToLatest();
  if (error) throw startFailure(error);
}

/** Takes the newest migration back; nothing where there is none. */
export async function revertDatabase(database: Database, provider = new SqlMigrations()): Promise<void> {
  if ((await refuseNewer(database, provider)).length === 0) return;
  const { error } = await migratorOf(database, provider).migrateDown();
  if (error) throw startFailure(error);
}

async function refuseNewer(database: Database, provider: SqlMigrations): Promise<string[]> {
  const known = new Set(await provider.names());
  const applied = await appliedMigrations(database);
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length === 0) return applied;
  throw new DatabaseStartError(`the database's schema is newer than this program: it has the migration ${unknown.join(', ')}`);
}

/** Once a session has been opened. */
function migratorOf(database: Database, provider: SqlMigrations): Migrator {
  return new Migrator({
    db: kyselyOf(database),
    provider,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
    // Kysely would take another schema's tables for these
    migrationTableSchema: database.schema,
  });
}

/** What the schema is made of; nothing in an empty database. */
export async function appliedMigrations(database: Database): Promise<string[]> {
  const db = kyselyOf(database);
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${MIGRATION_TABLE}) is not null as found`.execute(db);
  if (!rows[0]?.found) return [];
  const applied = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db);
  return applied.rows.map(({ name }) => name);
}
