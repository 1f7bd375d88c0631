import type { UserInfo } from '../../../registry/resource/request-context.js';
import type { ParsedJwt } from './parsed-jwt.js';

/** The contents of a verified JWT. */
export interface VerifiedJwt {
  readonly user: UserInfo;
  /** The audiences the token is meant for. */
  readonly audiences: readonly string[];
  /** Expiry in milliseconds; from then on the token is refused. */
  readonly expiresAt: number;
  /** The text of the refusal after expiry. */
  readonly expiredText: string;
  /**
   * Called for every request in addition to the expiry: returns if the token is still valid, throws an AuthenticationError if not. Returns
   * a promise only if it has to read something. If absent, only time invalidates the token.
   */
  check?(): void | Promise<void>;
}

/** A verifier of the tokens of one JWT issuer. */
export interface JwtIssuer {
  /** Throws an AuthenticationError for an invalid token. The caller has compared the issuer and nothing else. */
  verify(jwt: ParsedJwt): Promise<VerifiedJwt>;
}
