import {
  type Kubeconfig,
  type KubeContext,
  KubeconfigError,
  contextOf,
  parseKubeconfig,
  readText,
} from '../../../../src/kube/kubeconfig.js';
import { LockError } from '../lock-error.js';

/** Reads a context, by default the current one. Rejects with a LockError. */
export async function readContext(files: readonly string[], context?: string): Promise<KubeContext> {
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
