import type { UserInfo } from '../../../registry/request-context.js';
import type { ParsedJwt } from './parsed-jwt.js';

/** What a good JWT says. */
export interface VerifiedJwt {
  readonly user: UserInfo;
  /** Whom it is meant for. */
  readonly audiences: readonly string[];
  /** From then on it is not accepted, in milliseconds. */
  readonly expiresAt: number;
  /** What `check` refuses it with then. */
  readonly expiredText: string;
  /**
   * Looked at for every request, beside the time: returns for a token that is still good and throws an AuthenticationError for one that
   * is good no more. Answers a promise only where it has to ask. Absent: nothing but time ends it.
   */
  check?(): void | Promise<void>;
}

/** Who issues JWTs, seen from those who accept them. */
export interface JwtIssuer {
  /** Throws an AuthenticationError for a token that is not good. Its issuer has been compared, and nothing else. */
  verify(jwt: ParsedJwt): Promise<VerifiedJwt>;
}
