import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import type { ServerConfig } from '../server/config/server-config.js';
import type { EmbeddedPostgres } from '../server/embedded-postgres/embedded-postgres.js';
import type { DatabaseOptions } from '../storage/database/database-options.js';
import type { Database } from '../storage/database/database.js';
import { CommandError } from './command-error.js';

/** The settings that say which database. */
export const DATABASE_SETTINGS = ['data-dir', 'database-url', 'database-password-file', 'database-pooling', 'database-schema', 'log-level'];

/**
 * Calls back with how to reach the configured database (the URL '' leaves it to the PG* variables). The embedded one is used while its server
 * runs, and else started for as long as the work takes.
 */
export async function withDatabaseOptions<T>(config: ServerConfig, work: (options: DatabaseOptions) => Promise<T>): Promise<T> {
  const { embeddedPostgres } = await import('../server/lifecycle/embedded-database.js');
  const embedded = embeddedPostgres({ ...config, dataDir: path.resolve(config.dataDir) }, process.env);
  const { databaseSchema: schema, databasePooling: pooling } = config;
  if (embedded?.attach()) return work({ url: embedded.url(), schema, pooling });
  if (embedded) return startedFor(embedded, config, (url) => work({ url, schema, pooling }));
  const { givenDatabaseUrl } = await import('../server/lifecycle/database-url.js');
  return work({ url: givenDatabaseUrl(config), schema, pooling });
}

/** The same with connections; the database must have this program's schema. */
export async function withDatabase<T>(config: ServerConfig, work: (database: Database, logger: Logger) => Promise<T>): Promise<T> {
  const { createLogger } = await import('../telemetry/logger.js');
  const { withExistingDatabase } = await import('../storage/maintenance/open-existing-database.js');
  const logger = createLogger({ ...config, logLevel: config.logLevel === 'info' ? 'error' : config.logLevel });
  return withDatabaseOptions(config, (options) => withExistingDatabase(options, logger, (database) => work(database, logger)));
}

async function startedFor<T>(embedded: EmbeddedPostgres, { dataDir }: ServerConfig, work: (url: string) => Promise<T>): Promise<T> {
  const dir = path.resolve(dataDir);
  if (!existsSync(dir) || !embedded.exists) {
    throw new CommandError(`there is no database in ${dir}: give --data-dir, or --database-url for another PostgreSQL`);
  }
  const { DataDirLock } = await import('../server/lifecycle/data-dir-lock.js');
  const lock = new DataDirLock(dir);
  lock.acquire();
  try {
    await embedded.start();
    return await work(embedded.url());
  } finally {
    await embedded.stop();
    lock.release();
  }
}
