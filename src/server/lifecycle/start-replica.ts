import path from 'node:path';
import type { Logger } from 'pino';
import { Outage } from '../../storage/database/outage.js';
import { systemScheduler } from '../../storage/scheduler.js';
import { systemClock } from '../../telemetry/clock.js';
import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import { createServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { ServerConfig } from '../config/server-config.js';
import { collectProcessMetrics } from '../metrics/process-metrics.js';
import { ADMIN_KUBECONFIG, writeAdminKubeconfig } from '../tls/admin-kubeconfig.js';
import { localUrl } from './announcement.js';
import { databasePassword } from './database-url.js';
import type { DatabaseLocation } from './foundation.js';
import type { LoadHttpApplication } from './http-application.js';
import type { Lifecycle } from './lifecycle.js';
import { loadSecrets } from './load-secrets.js';
import { openStorage } from './open-storage.js';
import type { Storage } from './open-storage.js';
import { startApi } from './start-api.js';
import { startTracing } from './start-tracing.js';
import type { WorkerShare } from './worker-share.js';

export interface ReplicaOptions {
  /** With an absolute data directory. */
  readonly config: ServerConfig;
  readonly environment: NodeJS.ProcessEnv;
  readonly loadApplication: LoadHttpApplication;
  readonly startDatabase: () => Promise<DatabaseLocation>;
  readonly logger: Logger;
  /** What the start is at now. */
  readonly onStep?: (step: string) => void;
  /** Given to one of several processes at one port. */
  readonly worker?: WorkerShare;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Absolute path. */
  readonly kubeconfig: string;
  /** Which database and schema, for people. */
  readonly database: string;
}

/** Everything above the database, from the bottom up: storage, secrets, HTTP, controllers. Resolves when it serves. */
export async function startReplica(options: ReplicaOptions, lifecycle: Lifecycle): Promise<RunningServer> {
  const { config, environment, worker } = options;
  const outage = new Outage(options.logger, systemScheduler);
  const logger = outage.quieting(options.logger);
  const telemetry = await startTelemetry(options, lifecycle);
  const application = options.loadApplication();
  // Awaited below, unless something else fails first.
  application.catch(() => undefined);
  const database = await options.startDatabase();
  lifecycle.proceed();
  options.onStep?.('opening the database');
  const storage = await openStorage(config, database.url, { logger, ...telemetry });
  lifecycle.onStop(() => storage.close());
  outage.start(() => storage.probe());
  lifecycle.proceed();
  options.onStep?.('starting the API');

  const secrets = await loadSecrets({
    config,
    shared: database.isEmbedded ? undefined : storage.sharedTexts,
    databasePassword: databasePassword(database.url, environment),
    logger,
    now: systemClock(),
  });
  const kubeconfig = path.join(config.dataDir, ADMIN_KUBECONFIG);
  const write = (server: string, authorityCert: string): void =>
    writeAdminKubeconfig(kubeconfig, { server, authorityCert, token: secrets.adminToken });
  lifecycle.proceed();
  const api = await startApi({
    config,
    storage,
    secrets,
    logger,
    ...telemetry,
    createApplication: await application,
    onNewCertificate: (authorityCert) => write(localUrl(config.bindAddress, api.port), authorityCert),
    worker,
  });
  lifecycle.onStop(() => api.close());
  lifecycle.onStop(() => outage.stop());

  const url = localUrl(config.bindAddress, api.port);
  write(url, api.authorityCert);
  return { url, port: api.port, kubeconfig, database: describe(database, storage, config) };
}

function describe({ isEmbedded }: DatabaseLocation, { place, schema }: Storage, { dataDir }: ServerConfig): string {
  return `${isEmbedded ? `the embedded PostgreSQL in ${path.join(dataDir, 'postgres')}` : place}, schema ${schema}`;
}

async function startTelemetry(
  { config, worker }: ReplicaOptions,
  lifecycle: Lifecycle,
): Promise<{ metrics: ServerMetrics; tracing: Tracing | undefined }> {
  const metrics = worker?.metrics ?? createServerMetrics();
  collectProcessMetrics(metrics);
  const tracing = await startTracing(config);
  if (tracing) lifecycle.onStop(() => tracing.close());
  return { metrics, tracing };
}
