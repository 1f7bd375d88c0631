import { AuthenticationError } from './authentication-error.js';
import { INVALID_TOKEN } from './bearer-authenticator.js';
import { bearerToken } from './bearer-token.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';
import { ANONYMOUS, withAuthenticatedGroup } from './well-known-users.js';

/** Verifies tokens for TokenReviews. */
export class TokenVerifier {
  readonly #tokens: TokenAuthenticator;
  readonly #audiences: readonly string[];
  readonly #anonymous: boolean;

  /** `audiences`: the server's own. `anonymous`: whether requests for any path may come without credentials. */
  constructor(tokens: TokenAuthenticator, audiences: readonly string[], anonymous: boolean) {
    this.#tokens = tokens;
    this.#audiences = audiences;
    this.#anonymous = anonymous;
  }

  /**
   * Resolves with the user of a token. Rejects with an AuthenticationError if nobody accepts it or it is for other audiences; without
   * `wanted` it must be for this server.
   */
  async verify(given: string, wanted: readonly string[]): Promise<VerifiedToken> {
    // Parsed like an Authorization header, as upstream does (registry/authentication/tokenreview).
    const token = bearerToken(`Bearer ${given}`, { warn: () => undefined });
    const audiences = wanted.length === 0 ? this.#audiences : wanted;
    // A header with such a token is one without credentials.
    if (token === undefined && this.#anonymous) return { user: ANONYMOUS, audiences };
    const verified = token && (await this.#owner(token, audiences));
    if (!verified) throw new AuthenticationError(INVALID_TOKEN);
    return { ...verified, user: withAuthenticatedGroup(verified.user) };
  }

  /** Upstream's text begins with that of its loopback client's authenticator, which rejects every other token (server/config.go). */
  async #owner(token: string, audiences: readonly string[]): Promise<VerifiedToken | undefined> {
    try {
      return await this.#tokens.authenticateToken(token, audiences);
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      throw AuthenticationError.join(new AuthenticationError(INVALID_TOKEN), error);
    }
  }
}
