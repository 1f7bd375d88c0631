import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse as parseYaml } from 'yaml';
import type { WebhookTarget } from './webhook-client.js';

/** An unusable kubeconfig; the message is for the operator. */
export class WebhookKubeconfigError extends Error {}

interface Entry {
  name?: string;
  cluster?: Record<string, unknown>;
  user?: Record<string, unknown>;
  context?: Record<string, unknown>;
}

interface Kubeconfig {
  'current-context'?: string;
  clusters?: Entry[];
  users?: Entry[];
  contexts?: Entry[];
}

/** Reads the server of a kubeconfig's current context. Relative paths in the file are relative to it. Throws WebhookKubeconfigError. */
export function readWebhookKubeconfig(file: string): WebhookTarget {
  const config = parse(file);
  const context = find(config.contexts, config['current-context'] ?? config.contexts?.[0]?.name, file, 'context').context ?? {};
  const cluster = find(config.clusters, textOf(context['cluster']), file, 'cluster').cluster ?? {};
  const userName = textOf(context['user']);
  const user = userName === undefined ? {} : (find(config.users, userName, file, 'user').user ?? {});
  const read = (fields: Record<string, unknown>, name: string): string | undefined => textOrFile(fields, name, file);
  const cert = read(user, 'client-certificate');
  const key = read(user, 'client-key');
  if ((cert === undefined) !== (key === undefined)) throw new WebhookKubeconfigError(`${file}: a client certificate needs its key`);
  return {
    url: urlOf(textOf(cluster['server']), file),
    ca: read(cluster, 'certificate-authority'),
    insecure: cluster['insecure-skip-tls-verify'] === true,
    serverName: textOf(cluster['tls-server-name']),
    cert,
    key,
    authorization: authorizationOf(user, file),
  };
}

function parse(file: string): Kubeconfig {
  try {
    // eslint-disable-next-line security/detect-non-literal-fs-filename -- named by the operator
    const config: unknown = parseYaml(readFileSync(file, 'utf8'));
    if (typeof config === 'object' && config !== null) return config;
  } catch (error) {
    throw new WebhookKubeconfigError(`cannot read ${file}: ${(error as Error).message.split('\n')[0]?.trim() ?? ''}`);
  }
  throw new WebhookKubeconfigError(`${file} is not a kubeconfig`);
}

function find(entries: Entry[] | undefined, name: string | undefined, file: string, kind: string): Entry {
  const found = Array.isArray(entries) ? entries.find((entry) => entry.name === name) : undefined;
  if (!found) throw new WebhookKubeconfigError(`${file} has no ${kind} "${name ?? ''}"`);
  return found;
}

function urlOf(server: string | undefined, file: string): URL {
  const url = server !== undefined && URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new WebhookKubeconfigError(`${file}: the server must be a URL`);
  return url;
}

/** `NAME-data` in base64, or the file `NAME`. */
function textOrFile(fields: Record<string, unknown>, name: string, file: string): string | undefined {
  const data = textOf(fields[`${name}-data`]);
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  const given = textOf(fields[name]);
  return given === undefined ? undefined : readBeside(file, given);
}

function readBeside(file: string, given: string): string {
  const found = path.resolve(path.dirname(file), given);
  try {
    // eslint-disable-next-line security/detect-non-literal-fs-filename -- named by the operator
    return readFileSync(found, 'utf8');
  } catch (error) {
    throw new WebhookKubeconfigError(`cannot read ${found}: ${(error as Error).message}`);
  }
}

function authorizationOf(user: Record<string, unknown>, file: string): () => string | undefined {
  const tokenFile = textOf(user['tokenFile']);
  if (tokenFile !== undefined) return () => `Bearer ${readBeside(file, tokenFile).trim()}`;
  const token = textOf(user['token']);
  if (token !== undefined) return () => `Bearer ${token}`;
  const name = textOf(user['username']);
  if (name === undefined) return () => undefined;
  const basic = Buffer.from(`${name}:${textOf(user['password']) ?? ''}`).toString('base64');
  return () => `Basic ${basic}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
