import type { AuthSettings } from '../auth.settings.js';
import { CLUSTER } from '../auth.settings.js';
import { configuredWebhookClient } from '../webhook/configured-webhook-client.js';
import { WebhookReviewer } from '../webhook/webhook-reviewer.js';
import { WebhookTokens } from './webhook-tokens.js';

/** The webhook that verifies unknown tokens; empty if none is configured. Throws a StartError if its kubeconfig cannot be used. */
export function configuredWebhookTokens(settings: AuthSettings, audiences: readonly string[], now: () => number): WebhookTokens[] {
  const file = settings.authenticationTokenWebhookConfigFile;
  if (file === '') return [];
  // kube-apiserver has no other version.
  const version = file === CLUSTER ? 'v1' : settings.authenticationTokenWebhookVersion;
  const cluster = { kubeconfig: settings.clusterKubeconfig, path: '/apis/authentication.k8s.io/v1/tokenreviews' };
  const reviewer = new WebhookReviewer({
    client: configuredWebhookClient('--authentication-token-webhook-config-file', file, cluster),
    apiVersion: `authentication.k8s.io/${version}`,
    kind: 'TokenReview',
  });
  return [new WebhookTokens({ reviewer, audiences, cacheTtlMs: settings.authenticationTokenWebhookCacheTtl, now })];
}
