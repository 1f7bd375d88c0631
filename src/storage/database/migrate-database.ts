import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { DatabaseStartError } from './database-start-error.js';
import type { DatabaseTables } from './database-tables.js';
import { SqlMigrations } from './sql-migrations.js';
import { startFailure } from './start-failure.js';

const MIGRATION_TABLE = 'schema_migration';
const MIGRATION_LOCK_TABLE = 'schema_migration_lock';

/**
 * Brings the schema up to this program's version. Replicas that start at once agree: one migrates, the others wait and find it done.
 * Refuses a schema that a newer version of the program made.
 */
export async function migrateDatabase(db: Kysely<DatabaseTables>, provider = new SqlMigrations()): Promise<void> {
  await refuseNewer(db, provider);
  const { error } = await (await migratorOf(db, provider)).migrateToLatest();
  if (error) throw startFailure(error);
}

/** Takes the newest migration back; nothing where there is none. */
export async function revertDatabase(db: Kysely<DatabaseTables>, provider = new SqlMigrations()): Promise<void> {
  await refuseNewer(db, provider);
  const { error } = await (await migratorOf(db, provider)).migrateDown();
  if (error) throw startFailure(error);
}

async function refuseNewer(db: Kysely<DatabaseTables>, provider: SqlMigrations): Promise<void> {
  const known = new Set(await provider.names());
  const unknown = (await appliedMigrations(db)).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new DatabaseStartError(`the database's schema is newer than this program: it has the migration ${unknown.join(', ')}`);
  }
}

async function migratorOf(db: Kysely<DatabaseTables>, provider: SqlMigrations): Promise<Migrator> {
  return new Migrator({
    db,
    provider,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
    // Kysely would take another schema's tables for these
    migrationTableSchema: await currentSchema(db),
  });
}

async function currentSchema(db: Kysely<DatabaseTables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name;
}

/** What the schema is made of; nothing in an empty database. */
export async function appliedMigrations(db: Kysely<DatabaseTables>): Promise<string[]> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${MIGRATION_TABLE}) is not null as found`.execute(db);
  if (!rows[0]?.found) return [];
  const applied = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db);
  return applied.rows.map(({ name }) => name);
}
