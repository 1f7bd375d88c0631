import { hash } from 'node:crypto';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { whenAnswered } from '../../time/backoff.js';
import { ExpiringCache } from '../expiring-cache.js';
import { type WebhookReviewer, WebhookError, textOf, textsOf, userOf } from '../webhook/webhook-client.js';
import { AuthenticationError, withAuthenticatedGroup } from './authenticator.js';

/** The user of a token, and which of the wanted audiences it is valid for. */
export interface VerifiedToken {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

/**
 * Verifies tokens of one kind (upstream: authenticator.Token). Returns undefined for tokens of another kind or for other audiences; throws
 * an AuthenticationError for an invalid token of its kind. May return synchronously.
 */
export interface TokenAuthenticator {
  /** `audiences` is never empty. */
  authenticateToken(token: string, audiences: readonly string[]): VerifiedToken | undefined | Promise<VerifiedToken | undefined>;
}

/** The intersection of `wanted` with the own audiences, with duplicates as in `wanted` (upstream: authenticator.Audiences.Intersect). */
export function commonAudiences(own: readonly string[], wanted: readonly string[]): readonly string[] {
  return own === wanted ? own : wanted.filter((each) => own.includes(each));
}

type Answer = ReturnType<TokenAuthenticator['authenticateToken']>;

/** Tries token authenticators in order; the first that accepts the token decides, whatever errors came before it. */
export class TokenUnion implements TokenAuthenticator {
  readonly #authenticators: readonly TokenAuthenticator[];

  constructor(authenticators: readonly TokenAuthenticator[]) {
    this.#authenticators = authenticators;
  }

  authenticateToken(token: string, audiences: readonly string[]): Answer {
    return this.#ask({ token, audiences }, 0, undefined);
  }

  #ask(asked: Asked, at: number, refusal: AuthenticationError | undefined): Answer {
    const authenticator = this.#authenticators[at];
    if (!authenticator) {
      if (refusal) throw refusal;
      return undefined;
    }
    return whenAnswered<VerifiedToken | undefined, VerifiedToken | undefined>(
      () => authenticator.authenticateToken(asked.token, asked.audiences),
      (verified) => verified ?? this.#ask(asked, at + 1, refusal),
      (error) => this.#afterFailure(asked, at, refusal, error),
    );
  }

  #afterFailure(asked: Asked, at: number, refusal: AuthenticationError | undefined, error: unknown): Answer {
    if (!(error instanceof AuthenticationError)) throw error;
    return this.#ask(asked, at + 1, AuthenticationError.join(refusal, error));
  }
}

interface Asked {
  readonly token: string;
  readonly audiences: readonly string[];
}

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
