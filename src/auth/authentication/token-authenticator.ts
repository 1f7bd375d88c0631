import { hash } from 'node:crypto';
import { unauthorized } from '../../apimachinery/errors/status-errors.js';
import type { UserInfo } from '../../registry/request-context.js';
import type { AuthenticationRequest, Authenticator } from './authenticator.js';
import { bearerToken } from './bearer-token.js';
import { withAuthenticatedGroup } from './well-known-users.js';

/** A token and whose it is. */
export interface TokenUser {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * Bearer tokens from a fixed list. Tokens are looked up by their SHA-256, so the time it takes tells nothing about how much of a
 * guess was right. Of two entries with one token the last counts.
 */
export class TokenAuthenticator implements Authenticator {
  readonly #users = new Map<string, UserInfo>();

  constructor(entries: Iterable<TokenUser>) {
    for (const { token, user } of entries) this.#users.set(digest(token), withAuthenticatedGroup(user));
  }

  authenticate(request: AuthenticationRequest): UserInfo | undefined {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const user = this.#users.get(digest(token));
    if (!user) throw unauthorized();
    return user;
  }
}

function digest(token: string): string {
  return hash('sha256', token, 'base64');
}
