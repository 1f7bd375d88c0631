import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PluginCredentials, credentialsIn, pluginCommand } from '../../../../src/kube/exec-plugin.js';
import type { Fields } from '../../../../src/kube/kubeconfig.js';
import { LockError } from '../lock-error.js';

const run = promisify(execFile);
/** A credential is fetched again this long before it ends. */
const EARLY = 30_000;

/** A kubeconfig's credential plugin; its answer is kept until it expires. */
export function execCredential(exec: Fields): () => Promise<PluginCredentials> {
  let kept: PluginCredentials | undefined;
  return async () => (kept && Date.now() < kept.until - EARLY ? kept : (kept = await ask(exec)));
}

async function ask(exec: Fields): Promise<PluginCredentials> {
  const { command, args, environment } = pluginCommand(exec);
  try {
    const { stdout } = await run(command, args, { env: environment });
    return credentialsIn(stdout);
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new LockError('configuration', `the credential plugin ${command} failed: ${line}`);
  }
}
