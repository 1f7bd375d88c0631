import { readClusterTarget } from '../../auth/webhook/cluster-target.js';
import { type KubeTarget, readKubeconfig } from './kube-target.js';

/** The cluster that `--cluster-kubeconfig` names: a kubeconfig, or `in-cluster` for the account of this pod. Throws CommandError or StartError. */
export function clusterKubeTarget(given: string, context?: string): KubeTarget {
  if (given !== 'in-cluster') return readKubeconfig(given, context);
  const { url, ca, authorization } = readClusterTarget(given);
  return { server: url.origin, authority: ca?.toString(), token: authorization()?.replace('Bearer ', '') };
}
