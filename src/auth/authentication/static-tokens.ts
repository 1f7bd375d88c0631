import { hash } from 'node:crypto';
import type { UserInfo } from '../../registry/request-context.js';
import { commonAudiences } from './common-audiences.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';
import { withAuthenticatedGroup } from './well-known-users.js';

/** A token and whose it is. */
export interface TokenUser {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * Bearer tokens from a list. Tokens are looked up by their SHA-256, so the time it takes tells nothing about how much of a guess was
 * right. Of two entries with one token the last counts. Tokens that were right are remembered as they are, since most requests come with
 * one of few: a map compares a text only with one of the same hash, keyed anew in each process, so that time tells nothing either.
 */
export class StaticTokens implements TokenAuthenticator {
  readonly #audiences: readonly string[];
  #users: ReadonlyMap<string, VerifiedToken>;
  /** Never more than there are tokens. */
  #seen = new Map<string, VerifiedToken>();

  /** `audiences`: whom the tokens are meant for. */
  constructor(entries: Iterable<TokenUser>, audiences: readonly string[]) {
    this.#audiences = audiences;
    this.#users = this.#byDigest(entries);
  }

  /** Forgets all tokens but these. */
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
