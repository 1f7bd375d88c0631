import { ensureNamespaces } from '../../apis/core/namespace/cluster-namespaces.js';
import { NamespaceStore } from '../../apis/core/namespace/namespace.module.js';
import { AccessInformers } from '../../controllers/access/access-informers.js';
import { ControllerManager } from '../../controllers/controller-manager.js';
import type { Lifecycle } from '../../settings/lifecycle.js';
import { WatchedFiles } from '../../settings/watched-files.js';
import type { ServerSettings } from '../config/server-settings.js';
import { ServingTls } from '../tls/serving-tls.js';
import { type HttpApplication, replaceTls } from './http-application.js';
import { listen } from './listen.js';

export interface ApiOptions {
  readonly config: ServerSettings;
  /** The assembled application, which does not listen yet. */
  readonly application: HttpApplication;
  /** Called when the server presents a new certificate, with the authority that clients must trust. */
  readonly onNewCertificate: (authorityCert: string) => void;
  /** The worker's number, if several processes share the port. */
  readonly worker: number | undefined;
}

export interface RunningApi {
  readonly port: number;
  /** The authority that clients must trust, as PEM. */
  readonly authorityCert: string;
}

/** Ensures the system namespaces, serves, and starts the controllers. */
export async function startApi({ config, application, onNewCertificate, worker }: ApiOptions, lifecycle: Lifecycle): Promise<RunningApi> {
  const informers = application.get(AccessInformers);
  const controllers = application.get(ControllerManager);
  // Informers stop after the application, so that requests in progress are authorized by current data.
  lifecycle.onStop(() => informers.stop());
  lifecycle.onStop(() => application.close());
  const namespaces = application.get(NamespaceStore);
  await lifecycle.phase('ensuring the namespaces', () => ensureNamespaces(namespaces));
  // The bootstrap roles are created in them.
  await lifecycle.phase('reading the access rules', () => informers.start());
  const address = { host: config.bindAddress, port: config.securePort, reusePort: worker !== undefined };
  const port = await lifecycle.phase('listening', () => listen(application, address));
  lifecycle.onStop(() => controllers.stop());
  await lifecycle.phase('starting the controllers', () => controllers.start({ port, worker }));
  const tls = application.get(ServingTls);
  tls.onChange(() => {
    replaceTls(application, tls.material);
    onNewCertificate(tls.authorityCert);
  });
  application.get(WatchedFiles).start();
  return { port, authorityCert: tls.authorityCert };
}
