import { Kysely, PostgresDialect } from 'kysely';
import type { Database } from './database.js';
import type { DatabaseTables } from './database-tables.js';

/** Ends with the database: it uses the database's pool and must not be destroyed. */
export function kyselyOf(database: Database): Kysely<DatabaseTables> {
  return new Kysely<DatabaseTables>({ dialect: new PostgresDialect({ pool: database.pool }) });
}
