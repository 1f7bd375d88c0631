import { WebhookClient } from '../../auth/webhook/webhook-client.js';
import { readWebhookKubeconfig, WebhookKubeconfigError } from '../../auth/webhook/webhook-kubeconfig.js';
import { StartError } from '../start-error.js';

/** Calls the server of the kubeconfig that a flag names. StartError when it cannot be used. */
export function webhookClient(flag: string, file: string): WebhookClient {
  try {
    return new WebhookClient(readWebhookKubeconfig(file));
  } catch (error) {
    if (error instanceof WebhookKubeconfigError) throw new StartError(`${flag}: ${error.message}`);
    throw error;
  }
}
