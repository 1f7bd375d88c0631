import { WebhookTokens } from '../../auth/authentication/webhook-tokens.js';
import { WebhookAuthorizer } from '../../auth/authorization/webhook-authorizer.js';
import { WebhookReviewer } from '../../auth/webhook/webhook-reviewer.js';
import type { AccessConfig } from '../config/access-config.js';
import { webhookClient } from './given-webhook.js';

/** Whom to ask about tokens; empty when nobody is named. StartError when his kubeconfig cannot be used. */
export function webhookTokens(config: AccessConfig, audiences: readonly string[], now: () => number): WebhookTokens[] {
  const file = config.authenticationTokenWebhookConfigFile;
  if (file === '') return [];
  const reviewer = new WebhookReviewer({
    client: webhookClient('--authentication-token-webhook-config-file', file),
    apiVersion: `authentication.k8s.io/${config.authenticationTokenWebhookVersion}`,
    kind: 'TokenReview',
  });
  return [new WebhookTokens({ reviewer, audiences, cacheTtlMs: config.authenticationTokenWebhookCacheTtl, now })];
}

/** Who decides in the mode Webhook. StartError when his kubeconfig cannot be used. */
export function webhookAuthorizer(config: AccessConfig, now: () => number): WebhookAuthorizer {
  const version = config.authorizationWebhookVersion;
  const reviewer = new WebhookReviewer({
    client: webhookClient('--authorization-webhook-config-file', config.authorizationWebhookConfigFile),
    apiVersion: `authorization.k8s.io/${version}`,
    kind: 'SubjectAccessReview',
  });
  return new WebhookAuthorizer({
    reviewer,
    groupsField: version === 'v1' ? 'groups' : 'group',
    allowedTtlMs: config.authorizationWebhookCacheAuthorizedTtl,
    refusedTtlMs: config.authorizationWebhookCacheUnauthorizedTtl,
    now,
  });
}
