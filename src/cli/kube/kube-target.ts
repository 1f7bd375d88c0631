import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { CommandError } from '../output/command-error.js';

/** Address and credentials of an API server; PEM texts. */
export interface KubeTarget {
  readonly server: string;
  readonly authority?: string;
  readonly insecure?: boolean;
  /** The expected name in the server's certificate, if not its address. */
  readonly serverName?: string;
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
}

type Fields = Readonly<Record<string, unknown>>;

interface Kubeconfig {
  readonly clusters?: readonly Fields[];
  readonly users?: readonly Fields[];
  readonly contexts?: readonly Fields[];
  readonly 'current-context'?: string;
}

/** Reads a context of a kubeconfig, by default the current one. Throws CommandError. */
export function readKubeconfig(file: string, context?: string): KubeTarget {
  const config = parseFile(file);
  const wanted = context ?? config['current-context'] ?? '';
  const chosen = find(config.contexts, wanted, 'context');
  if (!chosen) throw new CommandError(`${file} has no context "${wanted}": name one of its contexts`);
  const cluster = find(config.clusters, text(chosen['cluster']) ?? '', 'cluster');
  const server = text(cluster?.['server']);
  if (!cluster || server === undefined) throw new CommandError(`${file} has no server address for the cluster of context "${wanted}"`);
  const user = find(config.users, text(chosen['user']) ?? '', 'user') ?? {};
  const dir = path.dirname(path.resolve(file));
  return {
    server: server.replace(/\/$/, ''),
    authority: material(cluster, 'certificate-authority', dir),
    insecure: cluster['insecure-skip-tls-verify'] === true,
    serverName: text(cluster['tls-server-name']),
    certificate: material(user, 'client-certificate', dir),
    key: material(user, 'client-key', dir),
    ...credential(user, dir),
  };
}

function parseFile(file: string): Kubeconfig {
  try {
    return (parse(readFileSync(file, 'utf8')) ?? {}) as Kubeconfig;
  } catch (error) {
    throw new CommandError(`cannot read the kubeconfig ${file}: ${(error as Error).message.split('\n')[0]}`);
  }
}

function find(entries: readonly Fields[] | undefined, name: string, kind: string): Fields | undefined {
  return entries?.find((entry) => entry['name'] === name)?.[kind] as Fields | undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** PEM from the kubeconfig itself or from a file it names. */
function material(fields: Fields, name: string, dir: string): string | undefined {
  const data = text(fields[`${name}-data`]);
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  const file = text(fields[name]);
  return file === undefined ? undefined : readFileSync(path.resolve(dir, file), 'utf8');
}

function credential(user: Fields, dir: string): Partial<KubeTarget> {
  const file = text(user['tokenFile']);
  if (file !== undefined) return { token: readFileSync(path.resolve(dir, file), 'utf8').trim() };
  const token = text(user['token']);
  if (token !== undefined) return { token };
  return user['exec'] === undefined ? {} : fromPlugin(user['exec'] as ExecPlugin);
}

interface ExecPlugin {
  readonly command: string;
  readonly apiVersion?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** Runs a credential plugin and parses its output (client.authentication.k8s.io ExecCredential). */
function fromPlugin({ command, args = [], env = [], apiVersion }: ExecPlugin): Partial<KubeTarget> {
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
  const environment = { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])), KUBERNETES_EXEC_INFO: info };
  let printed: string;
  try {
    printed = execFileSync(command, args, { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  } catch (error) {
    throw new CommandError(`the credential plugin ${command} failed: ${(error as Error).message.split('\n')[0]}`);
  }
  const { status = {} } = JSON.parse(printed) as { status?: { token?: string; clientCertificateData?: string; clientKeyData?: string } };
  return {
    ...(status.token ? { token: status.token } : {}),
    ...(status.clientCertificateData ? { certificate: status.clientCertificateData } : {}),
    ...(status.clientKeyData ? { key: status.clientKeyData } : {}),
  };
}
