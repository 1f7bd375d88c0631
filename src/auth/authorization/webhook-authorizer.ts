import { hash } from 'node:crypto';
import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { type AuthSettings, CLUSTER } from '../auth.settings.js';
import { ExpiringCache } from '../expiring-cache.js';
import { WebhookError, WebhookReviewer, configuredWebhookClient, textOf } from '../webhook/webhook-client.js';
import { type AuthorizationAttributes, type Decision, type NamedAuthorizer, type UserRules, AuthorizationError } from './authorizer.js';

/** Capacity of the cache, and the largest client-controlled part of a request that is cached. */
const CAPACITY = 8192;
const MAX_REMEMBERED_LENGTH = 10_000;

const RULES: UserRules = Object.freeze({
  rules: [],
  incomplete: true,
  evaluationError: 'webhook authorizer does not support user rule resolution',
});

export interface WebhookAuthorizerOptions {
  /** Posts SubjectAccessReviews. */
  readonly reviewer: Pick<WebhookReviewer, 'review'>;
  /** The field for a user's groups in the API version that is used; v1beta1 has `group`. */
  readonly groupsField: 'group' | 'groups';
  readonly allowedTtlMs: number;
  readonly refusedTtlMs: number;
  readonly now: () => number;
}

/**
 * Delegates decisions to a webhook with SubjectAccessReviews (apiserver plugin/pkg/authorizer/webhook). If the webhook cannot be reached,
 * other authorizers may still allow; otherwise the client gets a 500.
 */
export class WebhookAuthorizer implements NamedAuthorizer {
  readonly name = 'default';
  readonly #options: WebhookAuthorizerOptions;
  readonly #known: ExpiringCache<Decision>;

  constructor(options: WebhookAuthorizerOptions) {
    this.#options = options;
    this.#known = new ExpiringCache(CAPACITY, options.now);
  }

  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    const spec = this.#specOf(user, attributes);
    const key = hash('sha256', JSON.stringify(spec), 'base64');
    return this.#known.get(key) ?? this.#ask(spec, controlledLength(attributes) < MAX_REMEMBERED_LENGTH ? key : undefined);
  }

  /** A webhook's rights cannot be listed. */
  rulesFor(): UserRules {
    return RULES;
  }

  async #ask(spec: object, key: string | undefined): Promise<Decision> {
    let status: Readonly<Record<string, unknown>>;
    try {
      status = await this.#options.reviewer.review(spec);
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return { allowed: false, error: new AuthorizationError(error.message, { cause: error }) };
    }
    const decision = decisionOf(status);
    const { allowedTtlMs, refusedTtlMs } = this.#options;
    if (key !== undefined) this.#known.set(key, decision, status['allowed'] === true ? allowedTtlMs : refusedTtlMs);
    return decision;
  }

  #specOf({ name, uid, groups, extra }: UserInfo, attributes: AuthorizationAttributes): object {
    return {
      ...(attributes.isResourceRequest ? { resourceAttributes: resourceAttributes(attributes) } : nonResource(attributes)),
      ...omitEmpty({ user: name, [this.#options.groupsField]: groups, extra, uid }),
    };
  }
}

function nonResource({ path, verb }: AuthorizationAttributes): object {
  return { nonResourceAttributes: omitEmpty({ path, verb }) };
}

function resourceAttributes({ apiGroup, apiVersion, namespace, verb, resource, subresource, name }: AuthorizationAttributes): object {
  return omitEmpty({ namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name });
}

function controlledLength({ namespace, verb, apiGroup, apiVersion, resource, subresource, name, path }: AuthorizationAttributes): number {
  return [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path].reduce((sum, { length }) => sum + length, 0);
}

function decisionOf(status: Readonly<Record<string, unknown>>): Decision {
  const reason = textOf(status['reason']);
  const explained = reason === '' ? {} : { reason };
  if (status['denied'] === true) {
    if (status['allowed'] !== true) return { allowed: false, denied: true, ...explained };
    const error = new AuthorizationError('webhook subject access review returned both allow and deny response');
    return { allowed: false, denied: true, ...explained, error };
  }
  return { allowed: status['allowed'] === true, ...explained };
}

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
