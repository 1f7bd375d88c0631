import { StartError } from '../../settings/start-error.js';
import { CLUSTER } from '../auth.settings.js';
import { readClusterTarget } from './cluster-target.js';
import { WebhookClient } from './webhook-client.js';
import { readWebhookKubeconfig, WebhookKubeconfigError } from './webhook-kubeconfig.js';

/** The cluster's own service for what a webhook is asked. */
export interface ClusterWebhook {
  /** The value of `--cluster-kubeconfig`. */
  readonly kubeconfig: string;
  readonly path: string;
}

/** Creates a client for the server in the kubeconfig named by a flag, or for the cluster. Throws a StartError if it cannot be used. */
export function configuredWebhookClient(flag: string, file: string, cluster?: ClusterWebhook): WebhookClient {
  if (cluster && file === CLUSTER) {
    const target = readClusterTarget(cluster.kubeconfig);
    return new WebhookClient({ ...target, url: new URL(cluster.path, target.url) });
  }
  try {
    return new WebhookClient(readWebhookKubeconfig(file));
  } catch (error) {
    if (error instanceof WebhookKubeconfigError) throw new StartError(`${flag}: ${error.message}`);
    throw error;
  }
}
