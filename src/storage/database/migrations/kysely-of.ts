import { Kysely, PostgresDialect } from 'kysely';
import type { Database } from '../database.js';
import type { DatabaseTables } from '../statement/database-tables.js';

/** A Kysely that uses the database's pool. It must not be destroyed; it ends with the database. */
export function kyselyOf(database: Database): Kysely<DatabaseTables> {
  const pool = { connect: () => database.connectForReads(), end: () => Promise.resolve(), options: {} };
  return new Kysely<DatabaseTables>({ dialect: new PostgresDialect({ pool }) });
}
