import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PluginCredentials, credentialsIn, pluginCommand, pluginFailure } from '../../../../src/kube/exec-plugin.js';
import type { Fields } from '../../../../src/kube/kubeconfig.js';
import { LockError } from '../lock-error.js';

const run = promisify(execFile);
/** A credential is fetched again this long before it ends. */
const EARLY = 30_000;

/**
 * A kubeconfig's credential plugin, which runs once at a time; its answer is kept until it expires. A plugin that fails after it has worked is
 * asked again, as a server is that does not answer.
 */
export function execCredential(exec: Fields): () => Promise<PluginCredentials> {
  let kept: PluginCredentials | undefined;
  let asked: Promise<PluginCredentials> | undefined;
  return async () => {
    if (kept && Date.now() < kept.until - EARLY) return kept;
    asked ??= ask(exec).finally(() => (asked = undefined));
    try {
      return (kept = await asked);
    } catch (error) {
      if (kept && Date.now() < kept.until) return kept;
      throw new LockError(kept ? 'unreachable' : 'configuration', (error as Error).message);
    }
  };
}

async function ask(exec: Fields): Promise<PluginCredentials> {
  const { command, args, options } = pluginCommand(exec);
  try {
    const running = run(command, args, options);
    running.child.stdin?.end();
    return credentialsIn((await running).stdout, exec);
  } catch (error) {
    throw pluginFailure(command, error);
  }
}
