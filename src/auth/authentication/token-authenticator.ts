import type { UserInfo } from '../../registry/request-context.js';

/** Whose a token is, and which of the wanted audiences it is meant for. */
export interface VerifiedToken {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

/**
 * Knows the tokens of one kind (upstream: authenticator.Token). Answers undefined for those that are none of its own or are meant for
 * none of `audiences`; throws an AuthenticationError for one that is of its kind and not good. May answer without a promise.
 */
export interface TokenAuthenticator {
  /** `audiences` is never empty. */
  authenticateToken(token: string, audiences: readonly string[]): VerifiedToken | undefined | Promise<VerifiedToken | undefined>;
}
