import type { Logger } from 'pino';
import { ensureNamespaces } from '../../apis/core/namespace/ensure-namespaces.js';
import { isControllerEnabled } from '../../controllers/controller-names.js';
import type { HttpApplicationOptions } from '../../endpoints/http-application-options.js';
import { systemScheduler } from '../../storage/scheduler.js';
import { systemClock } from '../../telemetry/clock.js';
import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { ServerConfig } from '../config/server-config.js';
import type { Access } from './access.js';
import { startAudit } from './start-audit.js';
import { createAccess } from './access.js';
import { Closers } from './closers.js';
import { httpSettings } from './http-settings.js';
import { listen, replaceTls } from './http-application.js';
import type { CreateHttpApplication } from './http-application.js';
import type { LoadedSecrets } from './load-secrets.js';
import type { Storage } from './open-storage.js';
import type { Resources } from './resources.js';
import { createResources } from './resources.js';
import { followServiceAccounts } from './follow-service-accounts.js';
import { openIdDocuments } from './openid-documents.js';
import { ServingTls } from './serving-tls.js';
import { startPolicy } from './start-policy.js';
import { startControllers } from './start-controllers.js';
import { VERSION } from './version.js';
import { WatchedFiles } from './watched-files.js';
import type { WorkerShare } from './worker-share.js';

export interface ApiOptions {
  readonly config: ServerConfig;
  readonly storage: Storage;
  readonly secrets: LoadedSecrets;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly tracing: Tracing | undefined;
  readonly createApplication: CreateHttpApplication;
  /** Called when the server shows another certificate than before, with what clients have to trust. */
  readonly onNewCertificate: (authorityCert: string) => void;
  readonly worker: WorkerShare | undefined;
}

export interface RunningApi {
  readonly port: number;
  /** What clients have to trust, as PEM. */
  readonly authorityCert: string;
  close(): Promise<void>;
}

/** Makes sure of the namespaces, serves, and starts the controllers. When it rejects, nothing of it runs any more. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { config, storage, secrets, logger } = options;
  const closers = new Closers();
  const close = (): Promise<void> => closers.closeAll((error) => logger.error({ err: error }, 'a part of the API did not stop cleanly'));
  try {
    const files = new WatchedFiles(systemScheduler, logger);
    closers.push(() => files.close());
    const access = createAccess({ config, secrets, files });
    const tls = new ServingTls({ config, secrets, files, clientAuthorities: access.clientAuthorities });
    const resources = createResources({
      objects: storage.objects,
      now: systemClock,
      admissionPlugins: config.enableAdmissionPlugins,
      runtimeConfig: config.runtimeConfig,
      access,
    });
    await ensureNamespaces(resources.namespaces);
    await followAccess(access, resources, logger, closers);
    const application = await options.createApplication(httpOptions(options, { access, resources, tls, closers }));
    closers.push(() => application.close());
    const port = await listen(application, { host: config.bindAddress, port: config.securePort, reusePort: options.worker !== undefined });
    closers.push(
      await startControllers({
        objects: storage.objects,
        resources,
        port,
        worker: options.worker?.id,
        logger,
        metrics: options.metrics.main,
        now: systemClock,
        eventTtlMs: config.eventTtl,
        isEnabled: (name) => isControllerEnabled(config.controllers, name),
      }),
    );
    tls.onChange(() => {
      replaceTls(application, tls.material);
      options.onNewCertificate(tls.authorityCert);
    });
    files.start();
    return { port, authorityCert: tls.authorityCert, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Feeds what decides who gets in and who may do what. */
async function followAccess(access: Access, resources: Resources, logger: Logger, closers: Closers): Promise<void> {
  if (access.usesRoles) closers.push(await startPolicy(access.policy, resources.policy, logger));
  closers.push(await followServiceAccounts(access.serviceAccountTokens.accounts, resources.serviceAccounts, logger));
}

interface Parts {
  readonly access: Access;
  readonly resources: Resources;
  readonly tls: ServingTls;
  readonly closers: Closers;
}

function httpOptions(
  { config, storage, logger, metrics, tracing }: ApiOptions,
  { access, resources, tls, closers }: Parts,
): HttpApplicationOptions {
  return {
    resources: resources.served,
    subresources: resources.subresources,
    documents: openIdDocuments(config, access.serviceAccountTokens),
    authenticator: access.authenticator,
    authorizer: access.authorizer,
    auditor: startAudit(config, { logger, metrics: metrics.main }, closers),
    tls: tls.material,
    healthChecks: storage.healthChecks,
    version: VERSION,
    logger,
    metrics,
    tracing,
    ...httpSettings(config),
    now: systemClock,
    resourceSizes: storage.sizes,
  };
}
