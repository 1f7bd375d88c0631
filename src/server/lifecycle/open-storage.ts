import type { Logger } from 'pino';
import type { ResourceSizes } from '../../endpoints/flow-control/work-estimator.js';
import type { HealthCheck } from '../../endpoints/health/health-check.js';
import type { DatabaseOptions } from '../../storage/database/database-options.js';
import { DatabaseStartError } from '../../storage/database/database-start-error.js';
import type { ObjectStore } from '../../storage/object-store.js';
import { openPostgresStore } from '../../storage/postgres/open-postgres-store.js';
import type { PostgresStore } from '../../storage/postgres/postgres-store.js';
import type { StoreObserver } from '../../storage/postgres/store-observer.js';
import type { CacheObserver } from '../../storage/watch-cache/cache-observer.js';
import type { CachedStore } from '../../storage/watch-cache/cached-store.js';
import { openCachedStore } from '../../storage/watch-cache/open-cached-store.js';
import type { QuotaOptions } from '../../storage/watch-cache/quota.js';
import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { ServerConfig } from '../config/server-config.js';
import { StorageMetrics } from '../metrics/storage-metrics.js';
import { StartError } from '../start-error.js';
import type { SharedTexts } from '../tls/shared-secrets.js';
import { storageHealthChecks } from './health-checks.js';

/** The opened database, as the layers above use it. */
export interface Storage {
  readonly objects: ObjectStore;
  readonly sharedTexts: SharedTexts;
  readonly healthChecks: readonly HealthCheck[];
  readonly sizes: ResourceSizes;
  /** The database's name and server. */
  readonly place: string;
  /** Rejects where the database cannot be read or written. */
  probe(): Promise<void>;
  readonly schema: string;
  close(): Promise<void>;
}

export interface StorageServices {
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly tracing: Tracing | undefined;
}

/** Connects (an empty URL: by the PG* variables), migrates and fills the cache. StartError when the database cannot be used. */
export async function openStorage(
  config: ServerConfig,
  databaseUrl: string,
  { logger, metrics, tracing }: StorageServices,
): Promise<Storage> {
  const counted = new StorageMetrics(metrics.main);
  const { databaseSchema: schema, databasePooling: pooling } = config;
  const database = await openDatabaseStore(config, { url: databaseUrl, schema, pooling, tracing }, logger, counted.store);
  let objects: CachedStore;
  try {
    objects = await openCachedStore(database, { quota: quotaOf(config), observer: { ...counted.cache, ...observer(logger, counted) } });
    counted.sample(database, objects);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    objects,
    sharedTexts: database.secrets,
    healthChecks: storageHealthChecks(database, objects),
    sizes: (resource) => objects.sizeOf(resource),
    place: database.place,
    probe: async () => {
      await database.checkWrites();
      await database.currentRevision();
    },
    schema: database.schema,
    close: async () => {
      objects.close();
      await database.close();
    },
  };
}

async function openDatabaseStore(
  config: ServerConfig,
  database: DatabaseOptions,
  logger: Logger,
  observer: StoreObserver,
): Promise<PostgresStore> {
  try {
    return await openPostgresStore({ database, compactionIntervalMs: config.compactionInterval, observer }, logger);
  } catch (error) {
    if (error instanceof DatabaseStartError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** 0 in the configuration is no limit. */
function quotaOf(config: ServerConfig): QuotaOptions {
  return {
    maxObjects: config.maxObjects || undefined,
    maxBytes: config.maxBytes || undefined,
    maxObjectsPerNamespace: config.maxObjectsPerNamespace || undefined,
    maxBytesPerNamespace: config.maxBytesPerNamespace || undefined,
  };
}

function observer(logger: Logger, { cache }: StorageMetrics): Pick<CacheObserver, 'readFailed' | 'receiverFailed'> {
  return {
    readFailed: (error) => {
      cache.readFailed?.(error);
      logger.warn({ err: error }, 'cannot read changes from the database; trying again');
    },
    receiverFailed: (err) => logger.error({ err }, 'a watch was closed because its receiver failed'),
  };
}
