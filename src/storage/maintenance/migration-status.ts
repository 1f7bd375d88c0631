import type { Logger } from 'pino';
import { connectDatabase } from '../database/start/connect-database.js';
import type { Database } from '../database/database.js';
import type { DatabaseOptions } from '../database/session/database-options.js';
import { DatabaseStartError } from '../database/session/database-start-error.js';
import { startFailure } from '../database/session/start-failure.js';
import { appliedMigrations, revertDatabase } from '../database/migrations/migrate-database.js';
import { openDatabase } from '../database/start/open-database.js';
import { CANNOT_TELL, whoServes } from './serving-sessions.js';
import { SqlMigrations } from '../database/migrations/sql-migrations.js';

/** `unknown`: applied by a newer version of the program, which makes this version unusable with the database. */
type MigrationState = 'applied' | 'pending' | 'unknown';

/** A migration and its state in the database. */
export interface MigrationStatus {
  readonly name: string;
  readonly state: MigrationState;
}

/** Lists every migration that the program or the database knows, in order, without changing anything. Rejects with a DatabaseStartError. */
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
    throw startFailure(error, options);
  } finally {
    await database?.close();
  }
}

/** Migrates the schema to this program's version, as the server does at start. Rejects with a DatabaseStartError. */
export async function applyMigrations(options: DatabaseOptions, logger: Logger): Promise<void> {
  const database = await openDatabase(options, logger);
  await database.close();
}

/** Reverts the newest migration. `warn` receives, in one line, what could not be checked. Rejects with a DatabaseStartError. */
export async function revertMigration(options: DatabaseOptions, logger: Logger, warn: (text: string) => void): Promise<void> {
  let database: Database | undefined;
  try {
    database = await connectDatabase(options, logger);
    const served = await whoServes(database);
    if (served.by === 'servers') throw new DatabaseStartError(served.why);
    if (served.by === 'unknown') warn(CANNOT_TELL);
    await revertDatabase(database);
  } catch (error) {
    throw startFailure(error, options);
  } finally {
    await database?.close();
  }
}
