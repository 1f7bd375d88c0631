import { hash } from 'node:crypto';
import type { UserInfo } from '../../registry/request-context.js';
import { commonAudiences } from './common-audiences.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';

/** A token and whose it is. */
export interface TokenUser {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * Bearer tokens from a list. Tokens are looked up by their SHA-256, so the time it takes tells nothing about how much of a guess was
 * right. Of two entries with one token the last counts.
 */
export class StaticTokens implements TokenAuthenticator {
  readonly #audiences: readonly string[];
  #users: ReadonlyMap<string, UserInfo>;

  /** `audiences`: whom the tokens are meant for. */
  constructor(entries: Iterable<TokenUser>, audiences: readonly string[]) {
    this.#audiences = audiences;
    this.#users = byDigest(entries);
  }

  /** Forgets all tokens but these. */
  replace(entries: Iterable<TokenUser>): void {
    this.#users = byDigest(entries);
  }

  authenticateToken(token: string, wanted: readonly string[]): VerifiedToken | undefined {
    const user = this.#users.get(digest(token));
    const audiences = user && commonAudiences(this.#audiences, wanted);
    return audiences && audiences.length > 0 ? { user, audiences } : undefined;
  }
}

function byDigest(entries: Iterable<TokenUser>): Map<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  for (const { token, user } of entries) users.set(digest(token), user);
  return users;
}

function digest(token: string): string {
  return hash('sha256', token, 'base64');
}
