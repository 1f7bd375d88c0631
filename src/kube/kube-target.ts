import { isIP } from 'node:net';
import path from 'node:path';
import { unescape } from 'node:querystring';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { isObject } from '../apimachinery/schema/is-object.js';
import { type Fields, type KubeContext, type KubeconfigEntry, KubeconfigError, readText, textOf } from './kubeconfig.js';

/** Address and credentials of an API server, or of a webhook; PEM texts. */
export interface KubeTarget {
  /** URL for http or https, which messages show. */
  readonly server: string;
  /** Absent: the public authorities. */
  readonly ca?: string;
  readonly insecure?: boolean;
  /** The expected name in the server's certificate, if not its address. */
  readonly serverName?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Returns the Authorization header. Called for each request, because files of tokens change. */
  readonly authorization?: () => string | undefined;
  /** The plugin that issues the credentials, where the user has none of his own. */
  readonly exec?: Fields;
}

/** Throws a KubeconfigError. */
export function targetOf(context: KubeContext): KubeTarget {
  const { files, cluster, user } = context;
  const server = textOf(cluster.fields['server']);
  if (server === undefined || !/^https?:/i.test(server) || !URL.canParse(server)) {
    throw new KubeconfigError(`${files}: the server must be a URL`);
  }
  const unsupported = unsupportedIn(context);
  if (unsupported !== undefined) throw new KubeconfigError(`${files}: ${unsupported} is not supported`);
  const cert = material(user, 'client-certificate');
  const key = material(user, 'client-key');
  if ((cert === undefined) !== (key === undefined)) throw new KubeconfigError(`${files}: a client certificate needs its key`);
  const authorization = authorizationOf(user);
  const { username, password } = new URL(server);
  const ca = material(cluster, 'certificate-authority');
  const insecure = cluster.fields['insecure-skip-tls-verify'] === true;
  if (insecure && ca !== undefined) throw new KubeconfigError(`${files}: insecure-skip-tls-verify would bypass the certificate-authority`);
  return {
    server: server.replace(/\/\/[^/?#]*@/, '//'),
    ca,
    insecure,
    serverName: textOf(cluster.fields['tls-server-name']),
    cert,
    key,
    authorization: authorization ?? (username === '' ? undefined : basic(`${unescape(username)}:${unescape(password)}`)),
    exec: authorization ? undefined : pluginOf(user),
  };
}

/** What kubectl acts on, and would be missed: without it, requests would take another way, or have other rights. */
function unsupportedIn({ cluster, user }: KubeContext): string | undefined {
  if (textOf(cluster.fields['proxy-url']) !== undefined) return 'proxy-url';
  if (textOf(user.fields['as']) !== undefined) return 'as (impersonation)';
  return isObject(user.fields['auth-provider']) ? 'auth-provider' : undefined;
}

/** Its command is relative to the kubeconfig if it has a slash (client-go tools/clientcmd). */
function pluginOf({ fields, directory }: KubeconfigEntry): Fields | undefined {
  const { exec } = fields;
  if (!isObject(exec)) return undefined;
  const command = textOf(exec['command']) ?? '';
  return { ...exec, command: command.includes('/') ? path.resolve(directory, command) : command };
}

/** `NAME-data` in base64, or the file `NAME`. */
function material({ fields, directory }: KubeconfigEntry, name: string): string | undefined {
  const data = textOf(fields[`${name}-data`]);
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  const file = textOf(fields[name]);
  return file === undefined ? undefined : readText(path.resolve(directory, file));
}

function authorizationOf({ fields, directory }: KubeconfigEntry): (() => string) | undefined {
  const file = textOf(fields['tokenFile']);
  if (file !== undefined) return () => `Bearer ${readText(path.resolve(directory, file)).trim()}`;
  const token = textOf(fields['token']);
  if (token !== undefined) return bearer(token);
  const name = textOf(fields['username']);
  if (name === undefined) return undefined;
  return basic(`${name}:${textOf(fields['password']) ?? ''}`);
}

function basic(credentials: string): () => string {
  const encoded = Buffer.from(credentials).toString('base64');
  return () => `Basic ${encoded}`;
}

/** For a server, which runs no plugin. Throws a KubeconfigError. */
export function withoutPlugin(target: KubeTarget): KubeTarget {
  if (target.exec) {
    throw new KubeconfigError('a server runs no credential plugin (exec): name a token, a tokenFile or a client certificate');
  }
  return target;
}

export function bearer(token: string): () => string {
  return () => `Bearer ${token}`;
}

/** Options of TLS for a name that the server's certificate must have. An address is only compared: it is not allowed as the name that is asked for. */
export function expectedName(name: string | undefined): ConnectionOptions {
  if (name === undefined) return {};
  return isIP(name) === 0 ? { servername: name } : { servername: '', checkServerIdentity: (_, cert) => checkServerIdentity(name, cert) };
}
