import type { Logger } from 'pino';
import type { DatabaseOptions } from '../database/session/database-options.js';
import { openDatabase } from '../database/start/open-database.js';
import { startFailure } from '../database/session/start-failure.js';
import { PostgresStore } from './postgres-store.js';
import type { PostgresStoreOptions } from './postgres-store-options.js';

/** The options of a store and of its database. */
export interface OpenPostgresStoreOptions extends PostgresStoreOptions {
  readonly database: DatabaseOptions;
}

/** Connects, checks, migrates and starts. Rejects with a DatabaseStartError, whose message is one line for the operator. */
export async function openPostgresStore(options: OpenPostgresStoreOptions, logger: Logger): Promise<PostgresStore> {
  const database = await openDatabase(options.database, logger);
  const store = new PostgresStore(database, options, logger);
  try {
    await store.start();
    return store;
  } catch (error) {
    await store.close();
    throw startFailure(error, options.database);
  }
}
