import { WebhookClient } from './webhook-client.js';
import { readWebhookKubeconfig, WebhookKubeconfigError } from './webhook-kubeconfig.js';
import { StartError } from '../../settings/start-error.js';

/** Creates a client for the server in the kubeconfig named by a flag. Throws a StartError if it cannot be used. */
export function configuredWebhookClient(flag: string, file: string): WebhookClient {
  try {
    return new WebhookClient(readWebhookKubeconfig(file));
  } catch (error) {
    if (error instanceof WebhookKubeconfigError) throw new StartError(`${flag}: ${error.message}`);
    throw error;
  }
}
