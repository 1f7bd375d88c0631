import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../apimachinery/schema/is-object.js';
import { StartError } from '../settings/start-error.js';

/** A kubeconfig, or a file that it names, cannot be used. */
export class KubeconfigError extends StartError {
  override readonly name = 'KubeconfigError';
}

export type Fields = Readonly<Record<string, unknown>>;

export interface Kubeconfig {
  readonly file: string;
  readonly fields: Fields;
}

/** An entry of a kubeconfig; its relative paths start from the directory. */
export interface KubeconfigEntry {
  readonly fields: Fields;
  readonly directory: string;
}

export interface KubeContext {
  /** The names of the files, for messages. */
  readonly files: string;
  readonly namespace: string | undefined;
  readonly cluster: KubeconfigEntry;
  readonly user: KubeconfigEntry;
}

/** Parses the text of a file, with a parser for YAML or for JSON. Throws a KubeconfigError. */
export function parseKubeconfig(file: string, text: string, parse: (text: string) => unknown): Kubeconfig {
  let fields: unknown;
  try {
    // An empty file is a kubeconfig without entries.
    fields = parse(text) ?? {};
  } catch (error) {
    throw new KubeconfigError(`cannot read the kubeconfig ${file}: ${(error as Error).message.split('\n')[0]?.trim() ?? ''}`);
  }
  if (!isObject(fields)) throw new KubeconfigError(`${file} is not a kubeconfig`);
  return { file, fields };
}

/**
 * A context, by default the current one, or the only one. Of entries with the same name, and of current contexts, the first counts, as for
 * kubectl. Throws a KubeconfigError.
 */
export function contextOf(configs: readonly Kubeconfig[], context?: string): KubeContext {
  const files = configs.map(({ file }) => file).join(', ');
  const find = (kind: 'context' | 'cluster' | 'user', name: string): KubeconfigEntry => {
    for (const { file, fields } of configs) {
      const found = entriesOf(fields, `${kind}s`).find((entry) => entry['name'] === name);
      if (found) return { fields: (found[kind] ?? {}) as Fields, directory: path.dirname(path.resolve(file)) };
    }
    throw new KubeconfigError(`${files} has no ${kind} "${name}"`);
  };
  const current = configs.map(({ fields }) => textOf(fields['current-context'])).find((name) => name !== undefined);
  const [first, ...others] = configs.flatMap(({ fields }) => entriesOf(fields, 'contexts'));
  const { fields } = find('context', context ?? current ?? (others.length === 0 ? (textOf(first?.['name']) ?? '') : ''));
  const user = textOf(fields['user']);
  return {
    files,
    namespace: textOf(fields['namespace']),
    cluster: find('cluster', textOf(fields['cluster']) ?? ''),
    user: user === undefined ? { fields: {}, directory: '.' } : find('user', user),
  };
}

/** Names the flag in what a KubeconfigError says. */
export function ofFlag<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof KubeconfigError ? new KubeconfigError(`${flag}: ${error.message}`) : error;
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Throws a KubeconfigError. */
export function readText(file: string, kind = ''): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new KubeconfigError(`cannot read ${kind}${file}: ${(error as Error).message}`);
  }
}

function entriesOf(fields: Fields, list: string): readonly Fields[] {
  const entries = fields[list];
  return Array.isArray(entries) ? (entries as (Fields | null)[]).filter((entry) => entry !== null) : [];
}
