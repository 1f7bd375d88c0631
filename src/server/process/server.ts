import type { Logger } from 'pino';
import type { ServerSettings } from '../config/server-settings.js';
import { checkSettings } from './check-settings.js';
import { trustCluster } from './cluster-trust.js';
import { type StartObserver, DatabaseOwner } from './database-owner.js';
import { requireFreePort } from './start-api.js';
import type { LoadHttpApplication } from './http-application.js';
import { Lifecycle } from '../../settings/lifecycle.js';
import type { ServerProcess } from './serve.js';
import { type RunningServer, startReplica } from './start-replica.js';

/**
 * The whole server in one process. It starts from the bottom up (data directory, database, storage, secrets, HTTP, controllers) and stops
 * in reverse, so that requests end first and an embedded PostgreSQL last.
 */
export class Server implements ServerProcess {
  readonly #config: ServerSettings;
  readonly #loadApplication: LoadHttpApplication;
  readonly #logger: Logger;
  readonly #lifecycle: Lifecycle;
  readonly #databaseOwner: DatabaseOwner;

  /** `config` must have an absolute data directory. */
  constructor(config: ServerSettings, loadApplication: LoadHttpApplication, logger: Logger) {
    this.#config = config;
    this.#loadApplication = loadApplication;
    this.#logger = logger;
    this.#lifecycle = new Lifecycle(logger);
    this.#databaseOwner = new DatabaseOwner(config, logger);
  }

  /** Resolves once the server serves. If it rejects, everything that had started is stopped. */
  start(environment: NodeJS.ProcessEnv, observer: StartObserver): Promise<RunningServer> {
    const lifecycle = this.#lifecycle;
    return lifecycle.start(async () => {
      // Before the port: whoever starts a server twice should be told of the first one.
      this.#databaseOwner.requireUnusedDataDir();
      await requireFreePort(this.#config.bindAddress, this.#config.securePort);
      await lifecycle.phase('checking the settings', () => checkSettings(this.#config, this.#loadApplication));
      this.#databaseOwner.lockDataDir(lifecycle);
      const config = await trustCluster(this.#config, this.#logger, lifecycle);
      return startReplica(
        {
          config,
          loadApplication: this.#loadApplication,
          startDatabase: () => this.#databaseOwner.startDatabase(environment, lifecycle, observer),
          logger: this.#logger,
        },
        lifecycle,
      );
    }, observer.onStep);
  }

  /** Stops the server; a start in progress ends at its next step. */
  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  /** Asks an embedded PostgreSQL to stop without waiting, for a process that exits at once. */
  abandon(): void {
    this.#databaseOwner.abandon();
  }
}
