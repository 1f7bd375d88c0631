import type { HealthCheck } from '../../endpoints/health/health-check.js';
import type { PostgresStore } from '../../storage/postgres/postgres-store.js';
import type { CachedStore } from '../../storage/watch-cache/cached-store.js';

/** A feed that has not heard from the database for so long shows old states: several idle polls. */
const MAX_FEED_LAG_MS = 15_000;
const DATABASE_TIMEOUT_MS = 5_000;

/**
 * The checks behind /healthz and /readyz. Liveness has none of them: to start the server anew does not mend a database, and watches
 * and reads of any state go on without it.
 */
export function storageHealthChecks(database: PostgresStore, cache: CachedStore): HealthCheck[] {
  const on = ['healthz', 'readyz'] as const;
  return [
    { name: 'database', on, check: () => answersInTime(database) },
    // The server does not serve before they are applied.
    { name: 'migrations', on, check: () => Promise.resolve() },
    { name: 'change-feed', on, check: () => followsFeed(cache) },
  ];
}

async function answersInTime(database: PostgresStore): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${DATABASE_TIMEOUT_MS} ms`)), DATABASE_TIMEOUT_MS);
  });
  try {
    await Promise.race([database.currentRevision(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function followsFeed(cache: CachedStore): Promise<void> {
  const { ready, connected, lagMs } = cache.health();
  if (!ready) return Promise.reject(new Error('the cache is not filled yet'));
  if (!connected) return Promise.reject(new Error('the last read of changes failed'));
  if (lagMs > MAX_FEED_LAG_MS) return Promise.reject(new Error(`no read of changes for ${Math.round(lagMs)} ms`));
  return Promise.resolve();
}
