import { AuthenticationError } from './authentication-error.js';
import { INVALID_TOKEN } from './bearer-authenticator.js';
import { bearerToken } from './bearer-token.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';
import { withAuthenticatedGroup } from './well-known-users.js';

/** Looks at tokens that no request was made with: for TokenReviews. */
export class TokenVerifier {
  readonly #tokens: TokenAuthenticator;
  readonly #audiences: readonly string[];

  /** `audiences`: how the server itself is called. */
  constructor(tokens: TokenAuthenticator, audiences: readonly string[]) {
    this.#tokens = tokens;
    this.#audiences = audiences;
  }

  /** Throws an AuthenticationError for a token that is nobody's or is meant for others. Without `wanted`, it must be meant for this server. */
  async verify(given: string, wanted: readonly string[]): Promise<VerifiedToken> {
    // Read as if it stood in a header, as upstream does (registry/authentication/tokenreview).
    const token = bearerToken(`Bearer ${given}`, { warn: () => undefined });
    const verified = token && (await this.#owner(token, wanted.length === 0 ? this.#audiences : wanted));
    if (!verified) throw new AuthenticationError(INVALID_TOKEN);
    return { ...verified, user: withAuthenticatedGroup(verified.user) };
  }

  /** Upstream's text begins with that of the authenticator of its own client, which knows no other's token (server/config.go). */
  async #owner(token: string, audiences: readonly string[]): Promise<VerifiedToken | undefined> {
    try {
      return await this.#tokens.authenticateToken(token, audiences);
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      throw AuthenticationError.join(new AuthenticationError(INVALID_TOKEN), error);
    }
  }
}
