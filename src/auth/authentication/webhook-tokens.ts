import { hash } from 'node:crypto';
import { ExpiringCache } from '../expiring-cache.js';
import { textOf, textsOf, userOf } from '../webhook/review-fields.js';
import { WebhookError } from '../webhook/webhook-client.js';
import type { WebhookReviewer } from '../webhook/webhook-reviewer.js';
import { AuthenticationError } from './authentication-error.js';
import { type TokenAuthenticator, type VerifiedToken, commonAudiences } from './token-authenticator.js';
import { withAuthenticatedGroup } from './well-known-users.js';

/** Capacity of the cache, as in kube-apiserver. */
const CAPACITY = 32_768;

export interface WebhookTokensOptions {
  /** Posts TokenReviews. */
  readonly reviewer: Pick<WebhookReviewer, 'review'>;
  /** Audiences of tokens for which the webhook names none. */
  readonly audiences: readonly string[];
  /** How long results are cached, positive or negative (`--authentication-token-webhook-cache-ttl`). */
  readonly cacheTtlMs: number;
  readonly now: () => number;
}

/** The cached result for a token. */
interface Finding {
  readonly verified: VerifiedToken | undefined;
}

/**
 * Verifies tokens with a webhook by TokenReviews (apiserver plugin/pkg/authenticator/token/webhook). Results are cached, and concurrent
 * requests with one token share a call; failures are not cached.
 */
export class WebhookTokens implements TokenAuthenticator {
  readonly #options: WebhookTokensOptions;
  readonly #known: ExpiringCache<Finding>;
  readonly #inFlight = new Map<string, Promise<VerifiedToken | undefined>>();

  constructor(options: WebhookTokensOptions) {
    this.#options = options;
    this.#known = new ExpiringCache(CAPACITY, options.now);
  }

  authenticateToken(token: string, wanted: readonly string[]): VerifiedToken | undefined | Promise<VerifiedToken | undefined> {
    const key = hash('sha256', JSON.stringify([token, wanted]), 'base64');
    const known = this.#known.get(key);
    if (known) return known.verified;
    const inFlight = this.#inFlight.get(key);
    if (inFlight) return inFlight;
    const asked = this.#ask(token, wanted)
      .then((verified) => {
        this.#known.set(key, { verified }, this.#options.cacheTtlMs);
        return verified;
      })
      .finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, asked);
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
      // If the webhook fails, the token is invalid.
      if (error instanceof WebhookError) throw new AuthenticationError(error.message);
      throw error;
    }
  }
}
