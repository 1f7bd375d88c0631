import { hash } from 'node:crypto';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { type TokenAuthenticator, type VerifiedToken, commonAudiences } from './token-authenticator.js';
import { withAuthenticatedGroup } from './well-known-users.js';

export interface TokenUser {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * Bearer tokens from a list. Tokens are looked up by SHA-256, so timing reveals nothing about how much of a guess was right; the last of
 * duplicate tokens counts. Valid tokens are also cached as plain text, because most requests use one of few: the map compares text only on
 * equal hashes, which are keyed per process, so timing reveals nothing there either.
 */
export class StaticTokens implements TokenAuthenticator {
  readonly #audiences: readonly string[];
  #users: ReadonlyMap<string, VerifiedToken>;
  /** Bounded by the number of tokens. */
  #seen = new Map<string, VerifiedToken>();

  /** `audiences`: those the tokens are valid for. */
  constructor(entries: Iterable<TokenUser>, audiences: readonly string[]) {
    this.#audiences = audiences;
    this.#users = this.#byDigest(entries);
  }

  /** Replaces all tokens. */
  replace(entries: Iterable<TokenUser>): void {
    this.#users = this.#byDigest(entries);
    this.#seen = new Map();
  }

  authenticateToken(token: string, wanted: readonly string[]): VerifiedToken | undefined {
    const verified = this.#seen.get(token) ?? this.#lookUp(token);
    if (!verified || wanted === this.#audiences) return verified;
    const audiences = commonAudiences(this.#audiences, wanted);
    return audiences.length > 0 ? { ...verified, audiences } : undefined;
  }

  #lookUp(token: string): VerifiedToken | undefined {
    const verified = this.#users.get(digest(token));
    if (verified) this.#seen.set(token, verified);
    return verified;
  }

  #byDigest(entries: Iterable<TokenUser>): Map<string, VerifiedToken> {
    const users = new Map<string, VerifiedToken>();
    for (const { token, user } of entries) {
      users.set(digest(token), { user: withAuthenticatedGroup(user), audiences: this.#audiences });
    }
    return users;
  }
}

function digest(token: string): string {
  return hash('sha256', token, 'base64');
}
