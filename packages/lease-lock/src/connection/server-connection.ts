import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { expectedName, targetOf } from '../../../../src/kube/kube-target.js';
import {
  type KubeContext,
  type Kubeconfig,
  KubeconfigError,
  contextOf,
  parseKubeconfig,
  readText,
  textOf,
} from '../../../../src/kube/kubeconfig.js';
import { wholeText } from '../../../kube-client/src/coordination-client.js';
import { type HttpsConnection, httpsTransport } from '../../../kube-client/src/https-transport.js';
import { inClusterConnection } from '../../../kube-client/src/in-cluster.js';
import type { Transport } from '../../../kube-client/src/transport.js';
import { LockError } from '../lock-options.js';
import { ExecCredential } from './exec-credential.js';

interface ServerConnection extends HttpsConnection {
  readonly namespace: string;
  /** Called when the server refuses the credentials. Answers whether the next request may have others. */
  readonly refused?: () => boolean;
}

const USER_AGENT = 'lease-lock';
const NO_NAMESPACE = 'default';

/** Decides which server to use, in kubectl's order. Rejects with a LockError if nothing names one. */
export async function serverConnection(options: ServerOptions): Promise<ServerConnection> {
  const { namespace } = options;
  const found = options.server === undefined ? await configured(options) : direct(options, options.server);
  return { ...found, namespace: namespace ?? found.namespace, userAgent: USER_AGENT };
}

function direct(options: ServerOptions, server: string): ServerConnection {
  if (!URL.canParse(server)) throw new LockError('configuration', `"${server}" is not the URL of a server`);
  const { token, certificateAuthority, insecureSkipTlsVerify } = options;
  return {
    server,
    token,
    ca: certificateAuthority === undefined ? undefined : orLockError(() => readText(certificateAuthority)),
    requestOptions: () => tlsOptions(insecureSkipTlsVerify === true),
    namespace: NO_NAMESPACE,
  };
}

async function configured({ kubeconfig, context, ownKubeconfig }: ServerOptions): Promise<ServerConnection> {
  if (ownKubeconfig !== undefined) return ofOwn(await readContext([ownKubeconfig], context));
  const files = kubeconfig === undefined ? kubeconfigFiles() : [kubeconfig];
  if (files.length > 0) return ofContext(await readContext(files, context));
  if (process.env['KUBERNETES_SERVICE_HOST']) return ofPod();
  throw new LockError('configuration', 'no server is known: give --kubeconfig or --server, or set KUBECONFIG');
}

function ofPod(): ServerConnection {
  try {
    return inClusterConnection();
  } catch (error) {
    throw new LockError('configuration', `cannot use the service account of the pod: ${(error as Error).message}`);
  }
}

/** Files that do not exist are left out, as kubectl does, but not if all of them are missing. */
function kubeconfigFiles(): string[] {
  const named = (process.env['KUBECONFIG'] ?? '').split(path.delimiter).filter(Boolean);
  const files = named.length > 0 ? named : [path.join(homedir(), '.kube', 'config')];
  const existing = files.filter((file) => existsSync(file));
  return existing.length === 0 ? named.slice(0, 1) : existing;
}

/** The connection of a kubeconfig that was found by its place alone: no file that it names is read, and no program run. */
function ofOwn({ cluster, user, namespace = NO_NAMESPACE }: KubeContext): ServerConnection {
  const authority = textOf(cluster.fields['certificate-authority-data']);
  return {
    server: textOf(cluster.fields['server']) ?? '',
    ca: authority === undefined ? undefined : Buffer.from(authority, 'base64').toString(),
    token: textOf(user.fields['token']),
    requestOptions: () => tlsOptions(false),
    namespace,
  };
}

async function ofContext(context: KubeContext): Promise<ServerConnection> {
  const { server, ca, cert, key, insecure = false, serverName, authorization: ofUser, exec } = orLockError(() => targetOf(context));
  const plugin = exec && new ExecCredential(exec);
  // Now, because it may take longer than a request.
  await plugin?.issue();
  return {
    ...{ server, ca, cert, key, namespace: context.namespace ?? NO_NAMESPACE },
    refused: () => plugin?.refused() ?? false,
    requestOptions: async () => {
      const issued = await plugin?.issue();
      const authorization = issued?.token === undefined ? orLockError(() => ofUser?.()) : `Bearer ${issued.token}`;
      return {
        ...tlsOptions(insecure, serverName),
        ...(issued?.cert && { cert: issued.cert, key: issued.key }),
        headers: authorization === undefined ? undefined : { authorization },
      };
    },
  };
}

function tlsOptions(insecure: boolean, serverName?: string): object {
  return {
    allowPartialTrustChain: true,
    ...(insecure && { rejectUnauthorized: false }),
    ...expectedName(serverName),
  };
}

/** How to reach an API server; kubectl's names. Without any of them: $KUBECONFIG, ~/.kube/config, or the pod's own service account. */
export interface ServerOptions {
  readonly kubeconfig?: string;
  /** The kubeconfig of a server's data directory, in place of the others. It contains all that it says: it names no file and no plugin. */
  readonly ownKubeconfig?: string;
  /** Context of the kubeconfig; its current one by default. */
  readonly context?: string;
  /** Takes the place of the kubeconfig, with the options below. */
  readonly server?: string;
  readonly token?: string;
  /** PEM file. */
  readonly certificateAuthority?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** Default: that of the context or pod, or `default`. */
  readonly namespace?: string;
}

/** Sends a request again, once, whose credentials were refused where there may be others. */
export function serverTransport(connection: ServerConnection): Transport {
  const send = httpsTransport(connection);
  return async (request) => {
    const response = await send(request);
    if (response.status !== 401 || !connection.refused?.()) return response;
    await wholeText(response);
    return send(request);
  };
}

/** Reads a context, by default the current one. Rejects with a LockError. */
async function readContext(files: readonly string[], context?: string): Promise<KubeContext> {
  const configs = await Promise.all(files.map(read));
  return orLockError(() => contextOf(configs, context));
}

/** Throws a LockError where a kubeconfig, or a file that the user names, cannot be used. */
export function orLockError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof KubeconfigError ? new LockError('configuration', error.message) : error;
  }
}

/** Most kubeconfigs that programs write are JSON; the parser of YAML is loaded only for others. */
async function read(file: string): Promise<Kubeconfig> {
  const text = orLockError(() => readText(file, 'the kubeconfig '));
  try {
    return parseKubeconfig(file, text, JSON.parse);
  } catch {
    const { parse } = await import('yaml');
    return orLockError(() => parseKubeconfig(file, text, parse));
  }
}
