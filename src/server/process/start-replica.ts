import path from 'node:path';
import type { Logger } from 'pino';
import type { Lifecycle } from '../../settings/lifecycle.js';
import { PROGRAM_VERSION } from '../../settings/program-files.js';
import { Outage } from '../../storage/database/outage.js';
import { DatabaseStartError } from '../../storage/database/session/database-start-error.js';
import { selectingVariables } from '../../storage/database/session/start-failure.js';
import type { DatabaseLocation } from '../../storage/database/start/database-url.js';
import { Storage } from '../../storage/storage.js';
import { type ServerMetrics, createServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import { systemScheduler } from '../../time/scheduler.js';
import { localUrl } from '../config/server-address.js';
import type { ServerSettings } from '../config/server-settings.js';
import { ADMIN_KUBECONFIG, writeAdminKubeconfig } from '../tls/admin-kubeconfig.js';
import { LoadedSecrets } from '../tls/load-secrets.js';
import type { LoadHttpApplication } from './http-application.js';
import { VERSION } from './process.module.js';

/** Given to a replica that shares its port with others on the machine (docs/decisions/0016-workers.md). */
interface WorkerShare {
  /** From 1 on; a replacement keeps the number of the worker it replaces. */
  readonly id: number;
  /** This worker's metrics, which include those of the others when scraped. */
  readonly metrics: ServerMetrics;
}

export interface ReplicaOptions {
  /** Has an absolute data directory. */
  readonly config: ServerSettings;
  readonly loadApplication: LoadHttpApplication;
  readonly startDatabase: () => Promise<DatabaseLocation>;
  readonly logger: Logger;
  /** Set if several processes share the port. */
  readonly worker?: WorkerShare;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Absolute path. */
  readonly kubeconfig: string;
  /** A readable name of the database and schema. */
  readonly database: string;
}

/** Starts everything above the database, from the bottom up: storage, secrets, HTTP, controllers. Resolves once it serves. */
export async function startReplica(options: ReplicaOptions, lifecycle: Lifecycle): Promise<RunningServer> {
  const { config, worker } = options;
  const outage = new Outage(options.logger, systemScheduler);
  const logger = outage.quieting(options.logger);
  const metrics = worker?.metrics ?? createServerMetrics();
  collectProcessMetrics(metrics);
  // Loaded while the database starts.
  const loading = lifecycle.phase('loading the program', () => Promise.all([import('./start-api.js'), options.loadApplication()]));
  // Awaited below, unless another step fails first.
  loading.catch(() => undefined);
  const database = await options.startDatabase();
  const [{ startApi }, { createApp }] = await loading;
  const application = await lifecycle
    .phase('assembling the application', () => createApp(config, { database, lifecycle, logger, metrics }))
    .catch((error: unknown) => {
      throw withRemedy(error, database);
    });
  const storage = application.get(Storage);
  outage.start(() => storage.probe());

  const { adminToken } = application.get(LoadedSecrets);
  const kubeconfig = path.join(config.dataDir, ADMIN_KUBECONFIG);
  const write = (server: string, authorityCert: string): void =>
    writeAdminKubeconfig(kubeconfig, { server, authorityCert, token: adminToken });
  const onNewCertificate = (authorityCert: string): void => write(localUrl(config.bindAddress, api.port), authorityCert);
  const api = await startApi({ config, application, onNewCertificate, worker: worker?.id }, lifecycle);
  lifecycle.onStop(() => outage.stop());

  const url = localUrl(config.bindAddress, api.port);
  write(url, api.authorityCert);
  return { url, port: api.port, kubeconfig, database: describe(database, storage, config) };
}

/** What PostgreSQL says of damaged files is not how to go on. */
function withRemedy(error: unknown, { ifDamaged }: DatabaseLocation): unknown {
  if (ifDamaged === undefined || !(error instanceof DatabaseStartError) || error.cause === undefined) return error;
  return new DatabaseStartError(`${error.message}; ${ifDamaged}`, { cause: error });
}

/** Variables that were set for another program choose the database unnoticed, so they are named. */
function describe({ isEmbedded, url }: DatabaseLocation, { place, schema }: Storage, { dataDir }: ServerSettings): string {
  if (isEmbedded) return `the embedded PostgreSQL in ${path.join(dataDir, 'postgres')}, schema ${schema}`;
  const names = selectingVariables(url);
  return `${place}, schema ${schema}${names.length > 0 ? ` (chosen by ${names.join(', ')})` : ''}`;
}

/** Registers metrics of the process's identity and resource usage. */
export function collectProcessMetrics({ main, slis }: ServerMetrics): void {
  main.collectProcess();
  const started = { name: 'process_start_time_seconds', help: 'Start time of the process since unix epoch in seconds.' };
  slis
    .gauge(started)
    .with()
    .set(Date.now() / 1000 - process.uptime());
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = VERSION;
  const labels = ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'go_version', 'compiler', 'platform'];
  main
    .gauge({
      name: 'kubernetes_build_info',
      help: 'Constant 1, labelled with the Kubernetes release whose API is served, as in /version.',
      labels,
    })
    .with(major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform)
    .set(1);
  main
    .gauge({ name: 'coordination_build_info', help: 'Constant 1, labelled with the release of this program.', labels: ['version', 'node'] })
    .with(PROGRAM_VERSION, process.version)
    .set(1);
}
