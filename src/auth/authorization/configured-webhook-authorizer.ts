import { type AuthSettings, CLUSTER } from '../auth.settings.js';
import { configuredWebhookClient } from '../webhook/configured-webhook-client.js';
import { WebhookReviewer } from '../webhook/webhook-reviewer.js';
import { WebhookAuthorizer } from './webhook-authorizer.js';

/** The authorizer of the mode Webhook. Throws a StartError if its kubeconfig cannot be used. */
export function configuredWebhookAuthorizer(settings: AuthSettings, now: () => number): WebhookAuthorizer {
  const file = settings.authorizationWebhookConfigFile;
  // kube-apiserver has no other version.
  const version = file === CLUSTER ? 'v1' : settings.authorizationWebhookVersion;
  const cluster = { kubeconfig: settings.clusterKubeconfig, path: '/apis/authorization.k8s.io/v1/subjectaccessreviews' };
  const reviewer = new WebhookReviewer({
    client: configuredWebhookClient('--authorization-webhook-config-file', file, cluster),
    apiVersion: `authorization.k8s.io/${version}`,
    kind: 'SubjectAccessReview',
  });
  return new WebhookAuthorizer({
    reviewer,
    groupsField: version === 'v1' ? 'groups' : 'group',
    allowedTtlMs: settings.authorizationWebhookCacheAuthorizedTtl,
    refusedTtlMs: settings.authorizationWebhookCacheUnauthorizedTtl,
    now,
  });
}
