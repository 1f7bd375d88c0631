import type { Logger } from 'pino';
import { ensureNamespaces } from '../../apis/core/namespace/ensure-namespaces.js';
import { NamespaceStore } from '../../apis/core/namespace/namespace.store.js';
import { ServiceAccountStore } from '../../apis/core/service-account/service-account.store.js';
import type { PolicyStores } from '../../apis/rbac/bootstrap/ensure-policy.js';
import { ClusterRoleBindingStore } from '../../apis/rbac/cluster-role-binding/cluster-role-binding.store.js';
import { ClusterRoleStore } from '../../apis/rbac/cluster-role/cluster-role.store.js';
import { RoleBindingStore } from '../../apis/rbac/role-binding/role-binding.store.js';
import { RoleStore } from '../../apis/rbac/role/role.store.js';
import { Access } from '../../auth/access.js';
import { isControllerEnabled } from '../../controllers/machinery/controller-names.js';
import { Lifecycle } from '../../settings/lifecycle.js';
import { WatchedFiles } from '../../settings/watched-files.js';
import { Storage } from '../../storage/open-storage.js';
import { systemClock } from '../../telemetry/clock.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { ServerSettings } from '../config/server-settings.js';
import { ServingTls } from '../tls/serving-tls.js';
import { followServiceAccounts } from './follow-service-accounts.js';
import type { HttpApplication } from './http-application.js';
import { listen, replaceTls } from './http-application.js';
import { startControllers } from './start-controllers.js';
import { startPolicy } from './start-policy.js';
import type { WorkerShare } from './worker-share.js';

export interface ApiOptions {
  readonly config: ServerSettings;
  /** The assembled application, which does not listen yet. */
  readonly application: HttpApplication;
  readonly logger: Logger;
  readonly metrics: MetricRegistry;
  /** Called when the server presents a new certificate, with the authority that clients must trust. */
  readonly onNewCertificate: (authorityCert: string) => void;
  readonly worker: WorkerShare | undefined;
}

export interface RunningApi {
  readonly port: number;
  /** The authority that clients must trust, as PEM. */
  readonly authorityCert: string;
}

/** Ensures the system namespaces, serves, and starts the controllers. */
export async function startApi(options: ApiOptions, lifecycle: Lifecycle): Promise<RunningApi> {
  const { config, application, logger } = options;
  // Informers stop after the application, so that requests in progress are authorized by current data.
  const informers = new Lifecycle(logger);
  lifecycle.onStop(() => informers.stop());
  lifecycle.onStop(() => application.close());
  await ensureNamespaces(application.get(NamespaceStore));
  await followAccess(application, logger, informers);
  const port = await listen(application, { host: config.bindAddress, port: config.securePort, reusePort: options.worker !== undefined });
  lifecycle.onStop(
    await startControllers({
      objects: application.get(Storage).objects,
      application,
      port,
      worker: options.worker?.id,
      logger,
      metrics: options.metrics,
      now: systemClock,
      eventTtlMs: config.eventTtl,
      isEnabled: (name) => isControllerEnabled(config.controllers, name),
    }),
  );
  const tls = application.get(ServingTls);
  tls.onChange(() => {
    replaceTls(application, tls.material);
    options.onNewCertificate(tls.authorityCert);
  });
  application.get(WatchedFiles).start();
  return { port, authorityCert: tls.authorityCert };
}

/** Starts the informers that keep authentication and authorization up to date. */
async function followAccess(application: HttpApplication, logger: Logger, lifecycle: Lifecycle): Promise<void> {
  const { usesRoles, policy, serviceAccountTokens } = application.get(Access);
  if (usesRoles) lifecycle.onStop(await startPolicy(policy, policyStores(application), logger));
  lifecycle.onStop(await followServiceAccounts(serviceAccountTokens.accounts, application.get(ServiceAccountStore), logger));
}

function policyStores(application: HttpApplication): PolicyStores {
  return {
    roles: application.get(RoleStore),
    clusterRoles: application.get(ClusterRoleStore),
    roleBindings: application.get(RoleBindingStore),
    clusterRoleBindings: application.get(ClusterRoleBindingStore),
  };
}
