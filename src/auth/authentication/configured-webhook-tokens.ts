import type { AuthSettings } from '../auth.settings.js';
import { configuredWebhookClient } from '../webhook/configured-webhook-client.js';
import { WebhookReviewer } from '../webhook/webhook-reviewer.js';
import { WebhookTokens } from './webhook-tokens.js';

/** The webhook that verifies unknown tokens; empty if none is configured. Throws a StartError if its kubeconfig cannot be used. */
export function configuredWebhookTokens(settings: AuthSettings, audiences: readonly string[], now: () => number): WebhookTokens[] {
  const file = settings.authenticationTokenWebhookConfigFile;
  if (file === '') return [];
  const reviewer = new WebhookReviewer({
    client: configuredWebhookClient('--authentication-token-webhook-config-file', file),
    apiVersion: `authentication.k8s.io/${settings.authenticationTokenWebhookVersion}`,
    kind: 'TokenReview',
  });
  return [new WebhookTokens({ reviewer, audiences, cacheTtlMs: settings.authenticationTokenWebhookCacheTtl, now })];
}
