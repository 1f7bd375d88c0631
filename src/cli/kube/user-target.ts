import { execFileSync } from 'node:child_process';
import { credentialsIn, pluginCommand, pluginFailure } from '../../kube/exec-plugin.js';
import { type KubeTarget, bearer } from '../../kube/kube-target.js';
import { readKubeTarget } from '../../kube/read-kube-target.js';

/** A context of kubeconfigs, by default the current one, with the credentials of its user. Throws a StartError. */
export function userTarget(files: readonly string[], context?: string): KubeTarget {
  return withPlugin(readKubeTarget(files, context));
}

/** Runs the plugin that issues the credentials, if the kubeconfig names one. Throws a KubeconfigError. */
export function withPlugin(target: KubeTarget): KubeTarget {
  if (!target.exec) return target;
  const { command, args, options } = pluginCommand(target.exec);
  try {
    const printed = execFileSync(command, args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    const { token, cert, key } = credentialsIn(printed, target.exec);
    return { ...target, ...(token && { authorization: bearer(token) }), ...(cert && { cert, key }) };
  } catch (error) {
    throw pluginFailure(command, error);
  }
}
