import type { Logger } from 'pino';
import { connectDatabase } from './connect-database.js';
import type { Database } from './database.js';
import type { DatabaseOptions } from './database-options.js';
import { DatabaseStartError } from './database-start-error.js';
import { appliedMigrations, revertDatabase } from './migrate-database.js';
import { openDatabase } from './open-database.js';
import { whyServed } from './serving-sessions.js';
import { SqlMigrations } from './sql-migrations.js';
import { startFailure } from './start-failure.js';

/** `unknown`: applied by a newer version of the program, which this one cannot work with. */
export type MigrationState = 'applied' | 'pending' | 'unknown';

export interface MigrationStatus {
  readonly name: string;
  readonly state: MigrationState;
}

/** Every migration that the program or the database knows, in their order; changes nothing. Rejects with a DatabaseStartError. */
export async function readMigrationStatus(options: DatabaseOptions, logger: Logger): Promise<MigrationStatus[]> {
  let database: Database | undefined;
  try {
    database = await connectDatabase({ ...options, standby: true }, logger);
    const known = await new SqlMigrations().names();
    const applied = await appliedMigrations(database);
    const unknown = applied.filter((name) => !known.includes(name));
    return [
      ...known.map((name) => ({ name, state: applied.includes(name) ? ('applied' as const) : ('pending' as const) })),
      ...unknown.map((name) => ({ name, state: 'unknown' as const })),
    ];
  } catch (error) {
    throw startFailure(error);
  } finally {
    await database?.close();
  }
}

/** Brings the schema up to this program's version, as a start of the server does. Rejects with a DatabaseStartError. */
export async function applyMigrations(options: DatabaseOptions, logger: Logger): Promise<void> {
  const database = await openDatabase(options, logger);
  await database.close();
}

/** Takes the newest migration back. Rejects with a DatabaseStartError. */
export async function revertMigration(options: DatabaseOptions, logger: Logger): Promise<void> {
  let database: Database | undefined;
  try {
    database = await connectDatabase(options, logger);
    const served = await whyServed(database);
    if (served !== undefined) throw new DatabaseStartError(served);
    await revertDatabase(database);
  } catch (error) {
    throw startFailure(error);
  } finally {
    await database?.close();
  }
}
