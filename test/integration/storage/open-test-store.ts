import { pino } from 'pino';
import { type OpenPostgresStoreOptions, openPostgresStore } from '../../../src/storage/postgres/open-postgres-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { LISTENS, storeUrl } from '../../support/store-url.js';

export const silent = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });

/** A store whose log only the test rotates and compacts. */
export function openTestStore(url: string, options: Partial<OpenPostgresStoreOptions> = {}): Promise<PostgresStore> {
  const database = { ...options.database, url: storeUrl(options.database?.url ?? url) };
  return openPostgresStore({ compaction: false, listen: LISTENS, ...options, database }, silent);
}
