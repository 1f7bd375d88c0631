import { toStorageError } from './database/session/pg-errors.js';
import type { ObjectStore } from './object-store.js';
import type { PostgresStore } from './postgres/postgres-store.js';
import type { SecretRepository } from './postgres/secret.repository.js';
import type { StateRepository } from './postgres/states/state.repository.js';
import type { Announcements, Lapses } from './postgres/terms/lapses.js';
import type { CreatorTags } from './requester.js';
import { StorageError } from './storage-errors.js';
import type { CachedStore } from './watch-cache/cached-store.js';
import type { Usage } from './watch-cache/state/usage.js';

/** A database that is open, before the objects are read from it. The class is the injection token. */
export abstract class DatabaseInUse {
  /** The encrypted secrets shared by servers on one database. */
  abstract readonly sharedTexts: Pick<SecretRepository, 'getOrCreate' | 'replace' | 'otherRole'>;
  /** Reads them into the cache. The database stays open when what this returns is closed. */
  abstract readObjects(): Promise<Storage>;
  abstract close(): Promise<void>;
}

/** The database with its cache, or memory, for the layers above. The class is the injection token. */
export abstract class Storage {
  abstract readonly objects: ObjectStore;
  /** Who created an object is in its uid. */
  abstract readonly creators: CreatorTags;
  abstract readonly lapses: Pick<Lapses, 'change' | 'list' | 'clock'> & {
    readonly announcements: Pick<Announcements, keyof Announcements>;
  };
  /** Terraform's states; undefined where the objects are in memory. */
  abstract readonly states: StateRepository | undefined;
  abstract readonly healthChecks: readonly StorageHealthCheck[];
  /** The number of objects and bytes of a resource, by `resource.group`. */
  abstract readonly sizes: (groupResource: string) => Readonly<Usage> | undefined;
  /** The name and server of the database, for messages. */
  abstract readonly place: string;
  abstract readonly schema: string;
  /** Rejects if the database cannot be read or written. */
  abstract probe(): Promise<void>;
  abstract close(): Promise<void>;
}

/** A check of the storage for the health endpoints. */
interface StorageHealthCheck {
  readonly name: string;
  readonly on: readonly ('healthz' | 'livez' | 'readyz')[];
  check(): Promise<void>;
}

/** A feed that has not reached the database for this long (several idle polls) may show stale states. */
const MAX_FEED_LAG_MS = 15_000;
const DATABASE_TIMEOUT_MS = 5_000;

/**
 * The checks behind /healthz and /readyz. Liveness only means that the process responds: a restart repairs no database, and watches and
 * reads of any state continue without it.
 */
export function storageHealthChecks(database: PostgresStore, cache: CachedStore): StorageHealthCheck[] {
  const on = ['healthz', 'readyz'] as const;
  return [
    { name: 'ping', on: ['healthz', 'livez', 'readyz'], check: () => Promise.resolve() },
    { name: 'database', on, check: async () => void (await inTime(database.currentRevision())) },
    { name: 'writes', on, check: () => inTime(database.checkWrites()) },
    // The server serves only once they have been applied.
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
    timer = setTimeout(() => reject(new Error(`no response within ${DATABASE_TIMEOUT_MS} ms`)), DATABASE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    throw withReason(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Passes the reason to the health check; clients of the API only learn that the database is unavailable. */
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
