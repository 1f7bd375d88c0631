import type { ServerConfig } from '../config/server-config.js';
import type { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import { DataDirLock } from './data-dir-lock.js';
import { givenDatabaseUrl } from './database-url.js';
import { embeddedPostgres } from './embedded-database.js';
import type { Lifecycle } from './lifecycle.js';

export interface DatabaseLocation {
  /** '' leaves it to the PG* variables. */
  readonly url: string;
  /** Whether it is this server's own: then files are where secrets are kept. */
  readonly isEmbedded: boolean;
}

/** Whom a start tells how it goes. */
export interface StartObserver {
  /** What it is at now. */
  readonly onStep: (step: string) => void;
  /** The server cannot go on, in one line. */
  readonly onFailure: (reason: string) => void;
}

/** What there is once, however many processes serve: the lock of the data directory, and the database. */
export class Foundation {
  readonly #config: ServerConfig;
  #embedded: EmbeddedPostgres | undefined;

  constructor(config: ServerConfig) {
    this.#config = config;
  }

  /** StartError when another server works in the data directory. */
  lockDataDir(lifecycle: Lifecycle): void {
    const lock = new DataDirLock(this.#config.dataDir);
    lock.acquire();
    lifecycle.onStop(() => lock.release());
  }

  /** Starts the embedded PostgreSQL where no other one is given. */
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
    return { url: embedded.url(), isEmbedded: true };
  }

  /** Asks an embedded PostgreSQL to end without waiting, for a process that ends at once. */
  abandon(): void {
    this.#embedded?.requestStop();
  }
}
