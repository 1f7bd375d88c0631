import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { ADMIN_KUBECONFIG } from '../tls/admin-kubeconfig.js';
import { checkSecretFiles } from '../tls/load-secrets.js';
import { StartError } from '../../settings/start-error.js';
import type { ServerSettings } from '../config/server-settings.js';
import type { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import { type DatabaseLocation, givenDatabaseUrl } from '../../storage/database/start/database-url.js';
import { DataDirLock } from './data-dir-lock.js';
import { embeddedPostgres, serverUrl } from '../embedded-postgres/embedded-database.js';
import { PostgresKeeper } from '../embedded-postgres/postgres-keeper.js';
import type { Lifecycle } from '../../settings/lifecycle.js';

/** Callbacks for the progress of a start. */
export interface StartObserver {
  /** Called at the beginning of each step. */
  readonly onStep: (step: string) => void;
  /** Called when the server cannot continue, with the reason in one line. */
  readonly onFailure: (reason: string) => void;
}

const UNUSED = 'left by first starts that were killed: nothing uses it, and it may be removed';

/** Owns what exists once per server, not once per worker process: the lock on the data directory and the embedded PostgreSQL. */
export class DatabaseOwner {
  readonly #config: ServerSettings;
  readonly #logger: Logger;
  #embedded: EmbeddedPostgres | undefined;

  constructor(config: ServerSettings, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
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

  /** Starts the embedded PostgreSQL, and again whenever it ends, unless another one is configured. */
  async startDatabase(
    environment: NodeJS.ProcessEnv,
    lifecycle: Lifecycle,
    { onStep }: Pick<StartObserver, 'onStep'>,
  ): Promise<DatabaseLocation> {
    const embedded = embeddedPostgres(this.#config, environment);
    const installationFile = path.join(this.#config.dataDir, 'installation');
    if (!embedded) return { url: givenDatabaseUrl(this.#config), isEmbedded: false, installationFile };
    if (!embedded.exists) requireNewDataDir(this.#config);
    checkSecretFiles(this.#config);
    const { leftovers } = embedded;
    if (leftovers.length > 0) this.#logger.warn({ leftovers }, UNUSED);
    onStep('starting the embedded PostgreSQL');
    this.#embedded = embedded;
    const keeper = new PostgresKeeper(embedded, this.#logger);
    lifecycle.onStop(() => keeper.stop());
    await lifecycle.phase('starting the embedded PostgreSQL', () => embedded.start());
    return {
      url: await serverUrl(embedded, this.#config.databaseSchema),
      isEmbedded: true,
      installationFile,
      ifDamaged: embedded.ifDamaged,
    };
  }

  /** Asks an embedded PostgreSQL to stop without waiting, for a process that exits at once. */
  abandon(): void {
    this.#embedded?.requestStop();
  }
}

/** What a server leaves once it has served. */
const OF_EARLIER_SERVER = [ADMIN_KUBECONFIG, 'certs/ca.crt'];

/** StartError where a server has served: an empty database under its authority and token would answer its clients that nothing exists. */
function requireNewDataDir({ dataDir }: ServerSettings): void {
  const found = OF_EARLIER_SERVER.find((name) => existsSync(path.join(dataDir, name)));
  if (found === undefined) return;
  throw new StartError(
    `a server has run in ${dataDir} (it has left ${found}), but its database is not in ${path.join(dataDir, 'postgres')}: restore it from a copy, ` +
      'pass --database-url if it was in another PostgreSQL, or pass another --data-dir for a new one',
  );
}
