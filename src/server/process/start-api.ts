import { createServer } from 'node:net';
import { ensureNamespaces } from '../../apis/core/namespace/cluster-namespaces.js';
import { NamespaceStore } from '../../apis/core/namespace/namespace.module.js';
import { AccessInformers } from '../../controllers/access/access-informers.js';
import { ControllerManager } from '../../controllers/controller-manager.js';
import type { Lifecycle } from '../../settings/lifecycle.js';
import { StartError } from '../../settings/start-error.js';
import { WatchedFiles } from '../../settings/watched-files.js';
import type { ServerSettings } from '../config/server-settings.js';
import { ServingTls } from '../tls/serving-tls.js';
import { type HttpApplication, type ListenAddress, replaceTls } from './http-application.js';

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

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EADDRINUSE: 'the address is already in use: choose another port with --secure-port',
    EADDRNOTAVAIL: 'this machine does not have that address',
    EACCES: 'no permission to use that port',
  }),
);

/** Listens and returns the port. StartError if the address cannot be used. */
async function listen(application: HttpApplication, address: ListenAddress): Promise<number> {
  try {
    // A copy, since Fastify adds fields to it.
    await application.listen({ ...address });
  } catch (error) {
    throw cannotListen(address, error);
  }
  const taken = application.getHttpServer().address();
  return typeof taken === 'object' && taken !== null ? taken.port : address.port;
}

/** Throws StartError if the address cannot be used. Called before anything else is started. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen({ host, port }, resolve));
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  await new Promise((resolve) => probe.close(resolve));
}

function cannotListen({ host, port }: Pick<ListenAddress, 'host' | 'port'>, error: unknown): StartError {
  return new StartError(`cannot listen on ${host}:${port}: ${explain(error as NodeJS.ErrnoException)}`);
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  return REASONS.get(code ?? '') ?? message;
}
