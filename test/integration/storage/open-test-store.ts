import { pino } from 'pino';
import type { OpenPostgresStoreOptions } from '../../../src/storage/postgres/open-postgres-store.js';
import { openPostgresStore } from '../../../src/storage/postgres/open-postgres-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';

export const silent = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });

/** A store whose log nobody touches but the test. */
export function openTestStore(url: string, options: Partial<OpenPostgresStoreOptions> = {}): Promise<PostgresStore> {
  return openPostgresStore({ database: { url }, compaction: false, ...options }, silent);
}
