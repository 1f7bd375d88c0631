import path from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../../telemetry/clock.js';
import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import { createServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { ServerConfig } from '../config/server-config.js';
import type { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import { collectProcessMetrics } from '../metrics/process-metrics.js';
import { StartError } from '../start-error.js';
import { ADMIN_KUBECONFIG, writeAdminKubeconfig } from '../tls/admin-kubeconfig.js';
import { localUrl } from './announcement.js';
import { Closers } from './closers.js';
import { DataDirLock } from './data-dir-lock.js';
import { givenDatabaseUrl } from './database-url.js';
import { embeddedPostgres } from './embedded-database.js';
import type { LoadHttpApplication } from './http-application.js';
import { loadSecrets } from './load-secrets.js';
import { openStorage } from './open-storage.js';
import { startTracing } from './start-tracing.js';
import { startApi } from './start-api.js';

export interface RunningServer {
  readonly url: string;
  /** Absolute path. */
  readonly kubeconfig: string;
}

/**
 * The whole server. Started from the bottom up: data directory, database, storage, secrets, HTTP, controllers; stopped in
 * reverse, so requests end first and an embedded PostgreSQL last.
 */
export class Server {
  readonly #config: ServerConfig;
  readonly #loadApplication: LoadHttpApplication;
  readonly #logger: Logger;
  readonly #closers = new Closers();
  #embedded: EmbeddedPostgres | undefined;
  #starting: Promise<RunningServer> | undefined;
  #stopRequested = false;
  #closed: Promise<void> | undefined;

  constructor(config: ServerConfig, loadApplication: LoadHttpApplication, logger: Logger) {
    this.#config = { ...config, dataDir: path.resolve(config.dataDir) };
    this.#loadApplication = loadApplication;
    this.#logger = logger;
  }

  /** Resolves when it serves. When it rejects, whatever was started has been stopped. `onFailure`: it cannot go on, in one line. */
  async start(environment: NodeJS.ProcessEnv, onFailure: (reason: string) => void): Promise<RunningServer> {
    this.#starting = this.#start(environment, onFailure);
    try {
      return await this.#starting;
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  /** Stops what runs; a start under way is given up at its next step. */
  async stop(): Promise<void> {
    this.#stopRequested = true;
    await this.#starting?.catch(() => undefined);
    await this.#close();
  }

  /** Asks an embedded PostgreSQL to end without waiting, for a process that ends at once. */
  abandon(): void {
    this.#embedded?.requestStop();
  }

  #close(): Promise<void> {
    this.#closed ??= this.#closers.closeAll((error) => this.#logger.error({ err: error }, 'a part of the server did not stop cleanly'));
    return this.#closed;
  }

  #proceed(): void {
    if (this.#stopRequested) throw new StartError('stopped while starting');
  }

  async #start(environment: NodeJS.ProcessEnv, onFailure: (reason: string) => void): Promise<RunningServer> {
    const config = this.#config;
    const lock = new DataDirLock(config.dataDir);
    lock.acquire();
    this.#closers.push(() => lock.release());

    const telemetry = await this.#startTelemetry();
    const application = this.#loadApplication();
    // Awaited below, unless something else fails first.
    application.catch(() => undefined);
    const databaseUrl = await this.#startDatabase(environment, onFailure);
    this.#proceed();
    const storage = await openStorage(config, databaseUrl, { logger: this.#logger, ...telemetry });
    this.#closers.push(() => storage.close());
    this.#proceed();

    const secrets = await loadSecrets({
      config,
      shared: this.#embedded ? undefined : storage.sharedTexts,
      databasePassword: databasePassword(databaseUrl, environment),
      logger: this.#logger,
      now: systemClock(),
    });
    const kubeconfig = path.join(config.dataDir, ADMIN_KUBECONFIG);
    const write = (server: string, authorityCert: string): void =>
      writeAdminKubeconfig(kubeconfig, { server, authorityCert, token: secrets.adminToken });
    this.#proceed();
    const api = await startApi({
      config,
      storage,
      secrets,
      logger: this.#logger,
      ...telemetry,
      createApplication: await application,
      onNewCertificate: (authorityCert) => write(localUrl(config.bindAddress, api.port), authorityCert),
    });
    this.#closers.push(() => api.close());

    const url = localUrl(config.bindAddress, api.port);
    write(url, api.authorityCert);
    return { url, kubeconfig };
  }

  async #startTelemetry(): Promise<{ metrics: ServerMetrics; tracing: Tracing | undefined }> {
    const metrics = createServerMetrics();
    collectProcessMetrics(metrics);
    const tracing = await startTracing(this.#config);
    if (tracing) this.#closers.push(() => tracing.close());
    return { metrics, tracing };
  }

  /** The URL of the database; '' leaves it to the PG* variables. */
  async #startDatabase(environment: NodeJS.ProcessEnv, onFailure: (reason: string) => void): Promise<string> {
    const embedded = embeddedPostgres(this.#config, environment);
    if (!embedded) return givenDatabaseUrl(this.#config);
    this.#embedded = embedded;
    embedded.onUnexpectedExit(onFailure);
    this.#closers.push(() => embedded.stop());
    await embedded.start();
    return embedded.url();
  }
}

function databasePassword(url: string, environment: NodeJS.ProcessEnv): string {
  const given = URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
  return given || environment['PGPASSWORD'] || '';
}
