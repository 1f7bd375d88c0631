import type { Logger } from 'pino';
import { CreatorTags } from './requester.js';
import type { DatabaseLocation } from './database/start/database-url.js';
import { DatabaseStartError } from './database/session/database-start-error.js';
import { type OpenPostgresStoreOptions, DEFAULT_STORE_OPTIONS, openPostgresStore } from './postgres/open-postgres-store.js';
import type { PostgresStore } from './postgres/postgres-store.js';
import type { CacheObserver } from './watch-cache/cached-store.js';
import { openCachedStore } from './watch-cache/open-cached-store.js';
import type { QuotaOptions } from './watch-cache/quota.js';
import type { Tracing } from '../telemetry/tracing/tracing.js';
import type { ServerMetrics } from '../telemetry/metrics/metric-registry.js';
import { type TermUse, TERM_RESOURCE } from './term-change.js';
import { type DatabaseInUse, type Storage, storageHealthChecks } from './storage.js';
import type { StorageSettings } from './storage.settings.js';
import { StorageMetrics } from './storage-metrics.js';
import { StartError } from '../settings/start-error.js';
import type { Usage } from './watch-cache/state/usage.js';

export interface StorageServices {
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly tracing: Tracing | undefined;
  readonly termUse: TermUse;
  /** Does one part of a start. */
  readonly phase: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

/** Not encrypted: it hides from clients who created an object, and who reads the database knows the objects. */
const CREATOR_KEY = 'creator-key';
const { maxTerms } = DEFAULT_STORE_OPTIONS;
/** Terms are not counted. A list of them counts as the largest there may be, at about 600 bytes a term. */
const LARGEST_TERM_LIST: Readonly<Usage> = { objects: maxTerms, bytes: maxTerms * 600 };

/** Connects (by the PG* variables if the URL is empty) and migrates. Rejects with a StartError if the database is unusable. */
export async function openStorage(
  config: StorageSettings,
  { url, installationFile }: DatabaseLocation,
  services: StorageServices,
): Promise<DatabaseInUse> {
  const { logger, metrics, tracing, phase } = services;
  const counted = new StorageMetrics(metrics.main);
  const { databaseSchema: schema, databasePooling: pooling, databasePasswordFile: passwordFile } = config;
  const options = { database: { url, passwordFile, schema, pooling, tracing, installationFile }, observer: counted.store };
  const database = await phase('opening the database', () => openDatabaseStore(config, options, logger));
  return {
    sharedTexts: database.secrets,
    readObjects: () => readObjects(config, database, counted, services),
    close: () => database.close(),
  };
}

async function readObjects(
  config: StorageSettings,
  database: PostgresStore,
  counted: StorageMetrics,
  { logger, termUse, phase }: StorageServices,
): Promise<Storage> {
  const cache = { unwatched: !termUse.watched, quota: quotaOf(config), observer: { ...counted.cache, ...observer(logger, counted) } };
  const [objects, creatorKey] = await Promise.all([
    phase('reading the objects', () => openCachedStore(database, cache)),
    database.secrets.getOrCreate(CREATOR_KEY, () => Promise.resolve(CreatorTags.newKey())),
  ]);
  counted.sample(database, objects);
  return {
    objects,
    creators: new CreatorTags(creatorKey),
    lapses: database.terms.lapses,
    states: database.states,
    healthChecks: storageHealthChecks(database, objects),
    sizes: (resource) => (resource === TERM_RESOURCE ? LARGEST_TERM_LIST : objects.sizeOf(resource)),
    place: database.place,
    probe: async () => {
      await database.checkWrites();
      await database.currentRevision();
    },
    schema: database.schema,
    close: () => Promise.resolve(objects.close()),
  };
}

async function openDatabaseStore(config: StorageSettings, options: OpenPostgresStoreOptions, logger: Logger): Promise<PostgresStore> {
  try {
    const { compactionInterval: compactionIntervalMs, termHistory: termHistoryMs, termHistoryRows, renewalDelay: commitDelayMs } = config;
    const stateLimits = {
      bytes: config.maxStateBytes || Number.MAX_SAFE_INTEGER,
      percentPerNamespace: config.maxStatePercentPerNamespace,
    };
    const limits = { compactionIntervalMs, termHistoryMs, termHistoryRows, stateLimits, commitDelayMs };
    return await openPostgresStore({ ...options, ...limits }, logger);
  } catch (error) {
    if (error instanceof DatabaseStartError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** The configuration uses 0 for no limit. */
function quotaOf(config: StorageSettings): QuotaOptions {
  return {
    maxObjects: config.maxObjects || undefined,
    maxBytes: config.maxBytes || undefined,
    maxEventBytes: config.maxEventBytes || undefined,
    maxBytesPerUser: config.maxBytesPerUser || undefined,
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
