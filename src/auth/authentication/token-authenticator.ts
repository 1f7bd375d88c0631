import type { UserInfo } from '../../registry/resource/request-context.js';

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
