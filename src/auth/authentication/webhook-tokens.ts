import { hash } from 'node:crypto';
import { ExpiringCache } from '../expiring-cache.js';
import { textOf, textsOf, userOf } from '../webhook/review-fields.js';
import { WebhookError } from '../webhook/webhook-client.js';
import type { WebhookReviewer } from '../webhook/webhook-reviewer.js';
import { AuthenticationError } from './authentication-error.js';
import { commonAudiences } from './common-audiences.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';
import { withAuthenticatedGroup } from './well-known-users.js';

/** Tokens that are known at a time; kube-apiserver's cache is as large. */
const CAPACITY = 32_768;

export interface WebhookTokensOptions {
  /** Asks with TokenReviews. */
  readonly reviewer: Pick<WebhookReviewer, 'review'>;
  /** Whom tokens are meant for of which the webhook does not say it. */
  readonly audiences: readonly string[];
  /** For how long an answer holds, good or bad (`--authentication-token-webhook-cache-ttl`). */
  readonly cacheTtlMs: number;
  readonly now: () => number;
}

/** What was found out about a token. */
interface Finding {
  readonly verified: VerifiedToken | undefined;
}

/**
 * Tokens that somebody else knows, who is asked with a TokenReview (apiserver plugin/pkg/authenticator/token/webhook). Answers are
 * remembered, and requests that come with one token at the same time ask once; failures are not remembered.
 */
export class WebhookTokens implements TokenAuthenticator {
  readonly #options: WebhookTokensOptions;
  readonly #known: ExpiringCache<Finding>;
  readonly #underWay = new Map<string, Promise<VerifiedToken | undefined>>();

  constructor(options: WebhookTokensOptions) {
    this.#options = options;
    this.#known = new ExpiringCache(CAPACITY, options.now);
  }

  authenticateToken(token: string, wanted: readonly string[]): VerifiedToken | undefined | Promise<VerifiedToken | undefined> {
    const key = hash('sha256', JSON.stringify([token, wanted]), 'base64');
    const known = this.#known.get(key);
    if (known) return known.verified;
    const underWay = this.#underWay.get(key);
    if (underWay) return underWay;
    const asked = this.#ask(token, wanted)
      .then((verified) => {
        this.#known.set(key, { verified }, this.#options.cacheTtlMs);
        return verified;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asked);
    return asked;
  }

  async #ask(token: string, wanted: readonly string[]): Promise<VerifiedToken | undefined> {
    const status = await this.#review({ token, audiences: wanted });
    const answered = textsOf(status['audiences']);
    const audiences = commonAudiences(wanted, answered.length > 0 ? answered : this.#options.audiences);
    if (audiences.length === 0) return undefined;
    if (status['authenticated'] !== true) {
      const error = textOf(status['error']);
      if (error !== '') throw new AuthenticationError(error);
      return undefined;
    }
    return { user: withAuthenticatedGroup(userOf(status['user'])), audiences };
  }

  async #review(spec: object): Promise<Readonly<Record<string, unknown>>> {
    try {
      return await this.#options.reviewer.review(spec);
    } catch (error) {
      // A token of which nobody can say whose it is is nobody's.
      if (error instanceof WebhookError) throw new AuthenticationError(error.message);
      throw error;
    }
  }
}
