import type { Logger } from 'pino';
import { ensureNamespaces } from '../../apis/core/namespace/ensure-namespaces.js';
import { isControllerEnabled } from '../../controllers/controller-names.js';
import type { TlsMaterial } from '../../endpoints/http-application-options.js';
import { systemClock } from '../../telemetry/clock.js';
import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { ServerConfig } from '../config/server-config.js';
import type { Access } from './access.js';
import { startAudit } from './start-audit.js';
import { createAccess } from './access.js';
import type { AccessSecrets } from './authentication.js';
import { Closers } from './closers.js';
import { httpSettings } from './http-settings.js';
import { listen } from './http-application.js';
import type { CreateHttpApplication } from './http-application.js';
import type { Storage } from './open-storage.js';
import type { Resources } from './resources.js';
import { createResources } from './resources.js';
import { followServiceAccounts } from './follow-service-accounts.js';
import { openIdDocuments } from './openid-documents.js';
import { startPolicy } from './start-policy.js';
import { startControllers } from './start-controllers.js';
import { VERSION } from './version.js';

export interface ApiOptions {
  readonly config: ServerConfig;
  readonly storage: Storage;
  readonly tls: TlsMaterial;
  readonly secrets: AccessSecrets;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly createApplication: CreateHttpApplication;
}

export interface RunningApi {
  readonly port: number;
  close(): Promise<void>;
}

/** Makes sure of the namespaces, serves, and starts the controllers. When it rejects, nothing of it runs any more. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { config, storage, logger } = options;
  const closers = new Closers();
  const close = (): Promise<void> => closers.closeAll((error) => logger.error({ err: error }, 'a part of the API did not stop cleanly'));
  try {
    const access = createAccess(config, options.secrets);
    const resources = createResources({
      objects: storage.objects,
      now: systemClock,
      admissionPlugins: config.enableAdmissionPlugins,
      runtimeConfig: config.runtimeConfig,
      access,
    });
    await ensureNamespaces(resources.namespaces);
    await followAccess(access, resources, logger, closers);
    const services = { logger, metrics: options.metrics, now: systemClock };
    const application = await options.createApplication({
      resources: resources.served,
      subresources: resources.subresources,
      documents: openIdDocuments(config, access.serviceAccountTokens),
      authenticator: access.authenticator,
      authorizer: access.authorizer,
      auditor: startAudit(config, logger, closers),
      tls: options.tls,
      healthChecks: storage.healthChecks,
      version: VERSION,
      ...services,
      ...httpSettings(config),
      resourceSizes: storage.sizes,
    });
    closers.push(() => application.close());
    const port = await listen(application, config.bindAddress, config.securePort);
    closers.push(
      await startControllers({
        objects: storage.objects,
        resources,
        port,
        logger,
        metrics: options.metrics.main,
        now: systemClock,
        eventTtlMs: config.eventTtl,
        isEnabled: (name) => isControllerEnabled(config.controllers, name),
      }),
    );
    return { port, close };
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
