import type { Logger } from 'pino';
import type { DatabaseOptions } from '../database/database-options.js';
import { openDatabase } from '../database/open-database.js';
import { startFailure } from '../database/start-failure.js';
import { PostgresStore } from './postgres-store.js';
import type { PostgresStoreOptions } from './postgres-store-options.js';

export interface OpenPostgresStoreOptions extends PostgresStoreOptions {
  readonly database: DatabaseOptions;
}

/** Connects, checks, migrates and starts. Rejects with a DatabaseStartError, one line for whoever started the server. */
export async function openPostgresStore(options: OpenPostgresStoreOptions, logger: Logger): Promise<PostgresStore> {
  const database = await openDatabase(options.database, logger);
  const store = new PostgresStore(database, options, logger);
  try {
    await store.start();
    return store;
  } catch (error) {
    await store.close();
    throw startFailure(error);
  }
}
