import { Kysely } from 'kysely';
import type { Database } from '../database.js';
import type { DatabaseTables } from '../statement/database-tables.js';
import { NoLockDialect } from './migration-lock.js';

/** Ends with the database: it uses the database's pool and must not be destroyed. */
export function kyselyOf(database: Database): Kysely<DatabaseTables> {
  const pool = { connect: () => database.connectForReads(), end: () => Promise.resolve(), options: {} };
  return new Kysely<DatabaseTables>({ dialect: new NoLockDialect({ pool }) });
}
