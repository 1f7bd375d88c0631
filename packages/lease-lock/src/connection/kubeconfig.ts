import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LockError } from '../lock-error.js';

export type Fields = Readonly<Record<string, unknown>>;

/** One context of a kubeconfig with its cluster and its user, each with the folder that its relative paths start from. */
export interface KubeContext {
  readonly namespace: string | undefined;
  readonly cluster: Fields;
  readonly clusterDirectory: string;
  readonly user: Fields;
  readonly userDirectory: string;
}

interface Entry {
  readonly fields: Fields;
  readonly directory: string;
}

/** Reads files as kubectl does: of entries with the same name, and of current contexts, the first counts. */
export async function readKubeconfig(files: readonly string[], context?: string): Promise<KubeContext> {
  const parsed = await Promise.all(files.map(async (file) => ({ file, config: await parse(file) })));
  const wanted = context ?? parsed.map(({ config }) => text(config['current-context'])).find((name) => name !== undefined) ?? '';
  const find = (list: string, kind: string, name: string): Entry | undefined => {
    for (const { file, config } of parsed) {
      const fields = entry(config[list], kind, name);
      if (fields) return { fields, directory: path.dirname(path.resolve(file)) };
    }
    return undefined;
  };
  const chosen = find('contexts', 'context', wanted)?.fields;
  if (!chosen) throw new LockError('configuration', `${files.join(', ')}: there is no context "${wanted}"`);
  const cluster = find('clusters', 'cluster', text(chosen['cluster']) ?? '');
  if (text(cluster?.fields['server']) === undefined || !cluster) {
    throw new LockError('configuration', `${files.join(', ')}: the context "${wanted}" names no cluster with a server`);
  }
  const user = find('users', 'user', text(chosen['user']) ?? '');
  return {
    namespace: text(chosen['namespace']),
    cluster: cluster.fields,
    clusterDirectory: cluster.directory,
    user: user?.fields ?? {},
    userDirectory: user?.directory ?? '.',
  };
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** PEM, or any other text, from the entry itself or from a file that it names. */
export function material(fields: Fields, name: string, directory: string): string | undefined {
  const data = text(fields[`${name}-data`]);
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  const file = text(fields[name]);
  return file === undefined ? undefined : readText(path.resolve(directory, file));
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new LockError('configuration', `cannot read ${file}: ${(error as Error).message}`);
  }
}

function entry(list: unknown, kind: string, name: string): Fields | undefined {
  const entries = Array.isArray(list) ? (list as Fields[]) : [];
  return entries.find((candidate) => candidate['name'] === name)?.[kind] as Fields | undefined;
}

/** Most kubeconfigs that programs write are JSON; the parser of YAML is loaded only for others. */
async function parse(file: string): Promise<Fields> {
  const content = readText(file);
  try {
    return JSON.parse(content) as Fields;
  } catch {
    try {
      const yaml = await import('yaml');
      return (yaml.parse(content) ?? {}) as Fields;
    } catch (error) {
      throw new LockError('configuration', `cannot read the kubeconfig ${file}: ${(error as Error).message.split('\n')[0] ?? ''}`);
    }
  }
}
