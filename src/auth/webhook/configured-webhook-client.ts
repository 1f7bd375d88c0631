import { clusterTarget } from '../../kube/cluster-target.js';
import { withoutPlugin } from '../../kube/kube-target.js';
import { ofFlag } from '../../kube/kubeconfig.js';
import { readKubeTarget } from '../../kube/read-kube-target.js';
import { CLUSTER } from '../auth.settings.js';
import { WebhookClient } from './webhook-client.js';

/** The cluster's own service for what a webhook is asked. */
export interface ClusterWebhook {
  /** The value of `--cluster-kubeconfig`. */
  readonly kubeconfig: string;
  readonly path: string;
}

/** Creates a client for the server in the kubeconfig named by a flag, or for the cluster. Throws a KubeconfigError if it cannot be used. */
export function configuredWebhookClient(flag: string, file: string, cluster?: ClusterWebhook): WebhookClient {
  if (cluster && file === CLUSTER) {
    const target = clusterTarget(cluster.kubeconfig);
    return new WebhookClient({ ...target, server: new URL(cluster.path, target.server).href });
  }
  return new WebhookClient(ofFlag(flag, () => withoutPlugin(readKubeTarget([file]))));
}
