import type { HealthCheck } from '../../endpoints/health/health-check.js';
import { toStorageError } from '../../storage/database/pg-errors.js';
import type { PostgresStore } from '../../storage/postgres/postgres-store.js';
import { StorageError } from '../../storage/storage-errors.js';
import type { CachedStore } from '../../storage/watch-cache/cached-store.js';

/** A feed that has not heard from the database for so long shows old states: several idle polls. */
const MAX_FEED_LAG_MS = 15_000;
const DATABASE_TIMEOUT_MS = 5_000;

/**
 * The checks behind /healthz and /readyz. Liveness is no more than that the process answers: a restart mends no database, and watches and
 * reads of any state go on without it.
 */
export function storageHealthChecks(database: PostgresStore, cache: CachedStore): HealthCheck[] {
  const on = ['healthz', 'readyz'] as const;
  return [
    { name: 'ping', on: ['healthz', 'livez', 'readyz'], check: () => Promise.resolve() },
    { name: 'database', on, check: async () => void (await inTime(database.currentRevision())) },
    { name: 'writes', on, check: () => inTime(database.checkWrites()) },
    // The server does not serve before they are applied.
    { name: 'migrations', on, check: () => Promise.resolve() },
    { name: 'revision-log', on, check: () => hasSpareSegment(database) },
    { name: 'change-feed', on, check: () => followsFeed(cache) },
  ];
}

async function hasSpareSegment(database: PostgresStore): Promise<void> {
  const spares = await inTime(database.compactor.spareSegments());
  if (spares === 0) throw new Error('no spare segment of the revision log');
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${DATABASE_TIMEOUT_MS} ms`)), DATABASE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    throw withReason(error);
  } finally {
    clearTimeout(timer);
  }
}

/** A check says why, where a client is told no more than that the database cannot answer. */
function withReason(error: unknown): StorageError {
  const reason = error instanceof StorageError ? (error.cause ?? error) : error;
  return new StorageError('Unavailable', reason instanceof Error ? reason.message : String(reason), { cause: error });
}

function followsFeed(cache: CachedStore): Promise<void> {
  const { ready, connected, lagMs } = cache.health();
  if (!ready) return Promise.reject(new Error('the cache is not filled yet'));
  if (!connected) return Promise.reject(toStorageError(new Error('the last read of changes failed')));
  if (lagMs > MAX_FEED_LAG_MS) return Promise.reject(toStorageError(new Error(`no read of changes for ${Math.round(lagMs)} ms`)));
  return Promise.resolve();
}
