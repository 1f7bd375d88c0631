import pg from 'pg';
import type { OpenPostgresStoreOptions } from '../../../src/storage/postgres/open-postgres-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import type { CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import { createTestDatabase } from '../../support/test-database.js';
import { openTestStore } from './open-test-store.js';

/** A database with several stores over it, as of several server processes, and a session that looks in from outside. */
export interface PostgresFixture extends AsyncDisposable {
  readonly url: string;
  readonly stores: readonly PostgresStore[];
  readonly client: pg.Client;
  /** The rows of a query, with int8 as numbers. */
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  open(options?: Partial<OpenPostgresStoreOptions>): Promise<PostgresStore>;
  compactedRevision(): Promise<number>;
  /** A cache over a store, which serves watches. */
  cache(store: PostgresStore): Promise<CachedStore>;
  close(): Promise<void>;
}

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

export async function openFixture(stores: number, options: Partial<OpenPostgresStoreOptions> = {}): Promise<PostgresFixture> {
  const database = await createTestDatabase();
  const opened: PostgresStore[] = [];
  const caches: CachedStore[] = [];
  const open = async (more: Partial<OpenPostgresStoreOptions> = {}) => {
    const store = await openTestStore(database.url, { ...options, ...more });
    opened.push(store);
    return store;
  };
  for (let i = 0; i < stores; i++) await open();
  const client = new pg.Client({ connectionString: database.url, types });
  client.on('error', () => undefined);
  await client.connect();
  const rows = async <Row>(text: string, values: unknown[] = []) => {
    // within a transaction, statistics are those of the first access
    await client.query('select pg_stat_clear_snapshot()');
    return (await client.query(text, values)).rows as Row[];
  };
  const close = async () => {
    for (const cache of caches) cache.close();
    await Promise.all(opened.map((store) => store.close()));
    await client.end().catch(() => undefined);
    await database.drop();
  };
  return {
    url: database.url,
    stores: opened,
    client,
    rows,
    compactedRevision: async () => (await rows<{ revision: number }>('select revision from compaction'))[0]!.revision,
    open,
    cache: async (store) => {
      const cache = await openCachedStore(store);
      caches.push(cache);
      return cache;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
