import { execFileSync } from 'node:child_process';
import { credentialsIn, pluginCommand } from '../../kube/exec-plugin.js';
import { type KubeTarget, bearer } from '../../kube/kube-target.js';
import { readKubeTarget } from '../../kube/read-kube-target.js';
import { CommandError } from '../output/command-error.js';

/** A context of kubeconfigs, by default the current one, with the credentials of its user. Throws a StartError. */
export function userTarget(files: readonly string[], context?: string): KubeTarget {
  return withPlugin(readKubeTarget(files, context));
}

/** Runs the plugin that issues the credentials, if the kubeconfig names one. Throws a CommandError. */
export function withPlugin(target: KubeTarget): KubeTarget {
  if (!target.exec) return target;
  const { command, args, environment } = pluginCommand(target.exec);
  try {
    const printed = execFileSync(command, args, { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    const { token, cert, key } = credentialsIn(printed);
    return { ...target, ...(token && { authorization: bearer(token) }), ...(cert && { cert, key }) };
  } catch (error) {
    throw new CommandError(`the credential plugin ${command} failed: ${(error as Error).message.split('\n')[0]}`);
  }
}
