import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import type { ServerSettings } from '../server/config/server-settings.js';
import type { EmbeddedPostgres } from '../server/embedded-postgres/embedded-postgres.js';
import type { DatabaseOptions } from '../storage/database/session/database-options.js';
import type { Database } from '../storage/database/database.js';
import { CommandError } from './output/command-error.js';

/** The settings that select the database. */
export const DATABASE_SETTINGS = ['data-dir', 'database-url', 'database-password-file', 'database-pooling', 'database-schema', 'log-level'];

/**
 * Calls `work` with the options of the configured database; URL '' means the PG* variables. The embedded database is used if its server
 * runs, else started for the duration of the call.
 */
export async function withDatabaseOptions<T>(config: ServerSettings, work: (options: DatabaseOptions) => Promise<T>): Promise<T> {
  const { embeddedPostgres, serverUrl } = await import('../server/embedded-postgres/embedded-database.js');
  const embedded = embeddedPostgres({ ...config, dataDir: path.resolve(config.dataDir) }, process.env);
  const { databaseSchema: schema, databasePooling: pooling } = config;
  if (embedded?.attach()) return work({ url: await serverUrl(embedded, schema), schema, pooling });
  if (embedded) return startedFor(embedded, config, async () => work({ url: await serverUrl(embedded, schema), schema, pooling }));
  const { givenDatabaseUrl } = await import('../storage/database/start/database-url.js');
  return work({ url: givenDatabaseUrl(config), schema, pooling });
}

/** Calls `work` with an open database, which must have this program's schema. */
export async function withDatabase<T>(config: ServerSettings, work: (database: Database, logger: Logger) => Promise<T>): Promise<T> {
  const { createLogger } = await import('../telemetry/logger.js');
  const { withExistingDatabase } = await import('../storage/maintenance/with-existing-database.js');
  const logger = createLogger({ ...config, logLevel: config.logLevel === 'info' ? 'error' : config.logLevel });
  return withDatabaseOptions(config, (options) => withExistingDatabase(options, logger, (database) => work(database, logger)));
}

async function startedFor<T>(embedded: EmbeddedPostgres, { dataDir }: ServerSettings, work: () => Promise<T>): Promise<T> {
  const dir = path.resolve(dataDir);
  if (!existsSync(dir) || !embedded.exists) {
    throw new CommandError(`no database in ${dir}: pass --data-dir, or --database-url for another PostgreSQL`);
  }
  const { DataDirLock } = await import('../server/process/data-dir-lock.js');
  const lock = new DataDirLock(dir);
  lock.acquire();
  try {
    await embedded.start();
    return await work();
  } finally {
    await embedded.stop();
    lock.release();
  }
}
