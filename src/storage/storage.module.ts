import { Inject, Injectable, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Lifecycle } from '../settings/lifecycle.js';
import { LOGGER } from '../telemetry/logger.js';
import { type ServerMetrics, SERVER_METRICS } from '../telemetry/metrics/metric-registry.js';
import { TelemetryModule } from '../telemetry/telemetry.module.js';
import { type Tracing, TRACING } from '../telemetry/tracing/tracing.js';
import { DatabaseLocation } from './database/start/database-url.js';
import { type ObjectStore, OBJECT_STORE } from './object-store.js';
import { DatabaseInUse, Storage } from './storage.js';
import { StorageSettings } from './storage.settings.js';
import { TermUse } from './term-change.js';

/** Opens the storage with the services that this requires. */
@Injectable()
class StorageOpener {
  constructor(
    private readonly settings: StorageSettings,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SERVER_METRICS) private readonly metrics: ServerMetrics,
    @Inject(TRACING) private readonly tracing: Tracing | undefined,
  ) {}

  async open(location: DatabaseLocation, termUse: TermUse): Promise<DatabaseInUse> {
    this.lifecycle.begin('opening the database');
    const { settings, logger, metrics, tracing } = this;
    // Loaded only now: a test server, which has its storage in memory, never loads the client of PostgreSQL.
    const { openStorage } = await import('./open-storage.js');
    const phase = <T>(name: string, work: () => Promise<T>): Promise<T> => this.lifecycle.phase(name, work);
    const database = await openStorage(settings, location, { termUse, logger, metrics, tracing, phase });
    this.lifecycle.onStop(() => database.close());
    return database;
  }

  async readObjects(database: DatabaseInUse): Promise<Storage> {
    this.lifecycle.begin('reading the objects');
    const storage = await database.readObjects();
    this.lifecycle.onStop(() => storage.close());
    this.lifecycle.begin('starting the API');
    return storage;
  }
}

const databaseInUse = {
  provide: DatabaseInUse,
  inject: [StorageOpener, DatabaseLocation, TermUse],
  useFactory: (opener: StorageOpener, location: DatabaseLocation, use: TermUse): Promise<DatabaseInUse> => opener.open(location, use),
};

const storage = {
  provide: Storage,
  inject: [StorageOpener, DatabaseInUse],
  useFactory: (opener: StorageOpener, database: DatabaseInUse): Promise<Storage> => opener.readObjects(database),
};

const objectStore = { provide: OBJECT_STORE, inject: [Storage], useFactory: ({ objects }: Storage): ObjectStore => objects };

/** The database with the cache in front of it, open for the lifetime of the application. */
@Module({
  imports: [TelemetryModule],
  providers: [StorageOpener, databaseInUse, storage, objectStore],
  exports: [DatabaseInUse, Storage, OBJECT_STORE],
})
export class StorageModule {}
