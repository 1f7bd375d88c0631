import path from 'node:path';
import type { Logger } from 'pino';
import { connectionsThatFit } from '../../endpoints/connections/connection-limits.js';
import { Lifecycle } from '../../settings/lifecycle.js';
import { StartError } from '../../settings/start-error.js';
import { systemClock } from '../../telemetry/clock.js';
import { workerCount } from '../config/process.settings.js';
import type { ServerSettings } from '../config/server-settings.js';
import { trustCluster } from '../process/cluster-trust.js';
import { type StartObserver, DatabaseOwner } from '../process/database-owner.js';
import type { LoadHttpApplication } from '../process/http-application.js';
import type { ServerProcess } from '../process/serve.js';
import { requireFreePort } from '../process/start-api.js';
import type { RunningServer } from '../process/start-replica.js';
import { WorkerPool } from './worker-pool.js';

/**
 * The whole server in several processes on one port. This process holds the data directory, runs an embedded PostgreSQL and keeps the
 * workers, each a whole replica, running. It serves no requests itself.
 */
export class Supervisor implements ServerProcess {
  readonly #config: ServerSettings;
  readonly #count: number;
  readonly #loadApplication: LoadHttpApplication;
  readonly #logger: Logger;
  readonly #lifecycle: Lifecycle;
  readonly #databaseOwner: DatabaseOwner;
  #pool: WorkerPool | undefined;

  /** `config` must have an absolute data directory. */
  constructor(config: ServerSettings, count: number, loadApplication: LoadHttpApplication, logger: Logger) {
    this.#config = config;
    this.#count = count;
    this.#loadApplication = loadApplication;
    this.#logger = logger;
    this.#lifecycle = new Lifecycle(logger);
    this.#databaseOwner = new DatabaseOwner(config, logger);
  }

  /** Resolves once all workers serve. If it rejects, everything that had started is stopped. */
  start(environment: NodeJS.ProcessEnv, observer: StartObserver): Promise<RunningServer> {
    return this.#lifecycle.start(() => this.#start(environment, observer), observer.onStep);
  }

  /** Stops the server; a start in progress ends at its next step. */
  async stop(): Promise<void> {
    const drained = this.#pool?.stop();
    await this.#lifecycle.stop();
    await drained;
  }

  /** Ends the workers at once, and asks an embedded PostgreSQL to stop without waiting. */
  abandon(): void {
    this.#pool?.kill();
    this.#databaseOwner.abandon();
  }

  #ports(): number[] {
    const { securePort, workerPorts } = this.#config;
    return workerPorts ? Array.from({ length: this.#count }, (_, at) => securePort + at) : [securePort];
  }

  async #start(environment: NodeJS.ProcessEnv, observer: StartObserver): Promise<RunningServer> {
    const lifecycle = this.#lifecycle;
    requireReusePort();
    this.#databaseOwner.requireUnusedDataDir();
    // Workers could not detect a conflict: the kernel lets all sockets of one user share a port if they request it.
    for (const port of this.#ports()) await requireFreePort(this.#config.bindAddress, port);
    // Loaded only here: a supervisor needs little of what it reads.
    const { checkSettings } = await import('../process/check-settings.js');
    await checkSettings(this.#config, this.#loadApplication);
    this.#databaseOwner.lockDataDir(lifecycle);
    const config = await trustCluster(this.#config, this.#logger, lifecycle);
    const database = await this.#databaseOwner.startDatabase(environment, lifecycle, observer);
    lifecycle.begin(`starting ${this.#count} workers`);
    const pool = new WorkerPool({
      count: this.#count,
      startMessage: (id, port) => ({ type: 'start', id, config: workerConfig(config, id, port), database }),
      logger: this.#logger,
      now: systemClock,
      onFailure: observer.onFailure,
    });
    this.#pool = pool;
    lifecycle.onStop(() => pool.stop());
    return pool.start();
  }
}

/**
 * Throws a StartError if the kernel does not distribute connections among processes, or this Node does not request it (added in 22.12 and
 * 23.1).
 */
export function requireReusePort(platform: string = process.platform, version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
  if (platform === 'linux' && isNew) return;
  throw new StartError(
    `more than one worker (--workers) needs Linux and Node.js 22.12 or 23.1; this is ${platform} with Node.js ${version}`,
  );
}

/**
 * The configuration of one worker. The first worker creates or fetches the secrets and chooses the port. Later ones are given `port`, which
 * they share or count from, and find the secrets in files, so that all present one certificate. Workers share the machine's memory, so each
 * gets a part of the connections that fit into it.
 */
export function workerConfig(config: ServerSettings, id: number, port?: number): ServerSettings {
  const { auditLogPath } = config;
  return {
    ...config,
    maxConnections: config.maxConnections < 0 ? Math.ceil(connectionsThatFit() / workerCount(config.workers)) : config.maxConnections,
    ...(port === undefined
      ? {}
      : { securePort: config.workerPorts ? port + id - 1 : port, certDir: config.certDir || path.join(config.dataDir, 'certs') }),
    auditLogPath: auditLogPath === '' || auditLogPath === '-' ? auditLogPath : ownFile(auditLogPath, id),
  };
}

/** `audit.log` → `audit.worker-1.log`: a rotated file must have a single writer. */
function ownFile(file: string, id: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.worker-${id}${ext}`);
}
