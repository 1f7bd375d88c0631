import type { Logger } from 'pino';
import type { ServerConfig } from '../config/server-config.js';
import { checkFiles } from './check-files.js';
import { Foundation } from './foundation.js';
import type { StartObserver } from './foundation.js';
import { requireFreePort } from './free-port.js';
import type { LoadHttpApplication } from './http-application.js';
import { Lifecycle } from './lifecycle.js';
import type { RunningServer } from './start-replica.js';
import { startReplica } from './start-replica.js';

/**
 * The whole server in one process. Started from the bottom up: data directory, database, storage, secrets, HTTP, controllers; stopped
 * in reverse, so requests end first and an embedded PostgreSQL last.
 */
export class Server {
  readonly #config: ServerConfig;
  readonly #loadApplication: LoadHttpApplication;
  readonly #logger: Logger;
  readonly #lifecycle: Lifecycle;
  readonly #foundation: Foundation;

  /** `config` has an absolute data directory. */
  constructor(config: ServerConfig, loadApplication: LoadHttpApplication, logger: Logger) {
    this.#config = config;
    this.#loadApplication = loadApplication;
    this.#logger = logger;
    this.#lifecycle = new Lifecycle(logger);
    this.#foundation = new Foundation(config);
  }

  /** Resolves when it serves. When it rejects, whatever was started has been stopped. */
  start(environment: NodeJS.ProcessEnv, observer: StartObserver): Promise<RunningServer> {
    const lifecycle = this.#lifecycle;
    return lifecycle.start(async () => {
      await requireFreePort(this.#config.bindAddress, this.#config.securePort);
      checkFiles(this.#config);
      this.#foundation.lockDataDir(lifecycle);
      return startReplica(
        {
          config: this.#config,
          environment,
          loadApplication: this.#loadApplication,
          startDatabase: () => this.#foundation.startDatabase(environment, lifecycle, observer),
          onStep: observer.onStep,
          logger: this.#logger,
        },
        lifecycle,
      );
    });
  }

  /** Stops what runs; a start under way is given up at its next step. */
  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  /** Asks an embedded PostgreSQL to end without waiting, for a process that ends at once. */
  abandon(): void {
    this.#foundation.abandon();
  }
}
