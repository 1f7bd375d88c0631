import type { ServerSettings } from '../config/server-settings.js';
import type { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import type { DatabaseLocation } from '../../storage/database/start/database-location.js';
import { DataDirLock } from './data-dir-lock.js';
import { givenDatabaseUrl } from '../../storage/database/start/database-url.js';
import { embeddedPostgres, serverUrl } from '../embedded-postgres/embedded-database.js';
import type { Lifecycle } from '../../settings/lifecycle.js';

/** Callbacks for the progress of a start. */
export interface StartObserver {
  /** Called at the beginning of each step. */
  readonly onStep: (step: string) => void;
  /** Called when the server cannot continue, with the reason in one line. */
  readonly onFailure: (reason: string) => void;
}

/** Owns what exists once per server, not once per worker process: the lock on the data directory and the embedded PostgreSQL. */
export class DatabaseOwner {
  readonly #config: ServerSettings;
  #embedded: EmbeddedPostgres | undefined;

  constructor(config: ServerSettings) {
    this.#config = config;
  }

  /** Throws StartError if another server uses the data directory; creates nothing. */
  requireUnusedDataDir(): void {
    new DataDirLock(this.#config.dataDir).requireUnused();
  }

  /** Throws StartError if another server uses the data directory. */
  lockDataDir(lifecycle: Lifecycle): void {
    const lock = new DataDirLock(this.#config.dataDir);
    lock.acquire();
    lifecycle.onStop(() => lock.release());
  }

  /** Starts the embedded PostgreSQL unless another one is configured. */
  async startDatabase(
    environment: NodeJS.ProcessEnv,
    lifecycle: Lifecycle,
    { onFailure, onStep }: StartObserver,
  ): Promise<DatabaseLocation> {
    const embedded = embeddedPostgres(this.#config, environment);
    if (!embedded) return { url: givenDatabaseUrl(this.#config), isEmbedded: false };
    onStep('starting the embedded PostgreSQL');
    this.#embedded = embedded;
    embedded.onUnexpectedExit(onFailure);
    lifecycle.onStop(() => embedded.stop());
    await embedded.start();
    return { url: await serverUrl(embedded, this.#config.databaseSchema), isEmbedded: true };
  }

  /** Asks an embedded PostgreSQL to stop without waiting, for a process that exits at once. */
  abandon(): void {
    this.#embedded?.requestStop();
  }
}
