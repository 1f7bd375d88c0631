import type { UserInfo } from '../../registry/resource/request-context.js';
import { AuthenticationError } from './authentication-error.js';
import type { AuthenticationRequest, Authenticator } from './authenticator.js';
import { bearerToken } from './bearer-token.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';
import { webSocketToken } from './web-socket-token.js';
import { whenReady } from '../../time/when-ready.js';

export const INVALID_TOKEN = 'invalid bearer token';

/** Returns the token of a request, if it has one. */
type TokenSource = (request: AuthenticationRequest) => string | undefined;

/** Authenticates requests by a token from any source. */
class TokenRequestAuthenticator implements Authenticator {
  readonly #source: TokenSource;
  readonly #tokens: TokenAuthenticator;
  readonly #audiences: readonly string[];

  constructor(source: TokenSource, tokens: TokenAuthenticator, audiences: readonly string[]) {
    this.#source = source;
    this.#tokens = tokens;
    this.#audiences = audiences;
  }

  authenticate(request: AuthenticationRequest): UserInfo | undefined | Promise<UserInfo | undefined> {
    const token = this.#source(request);
    if (token === undefined) return undefined;
    return whenReady(this.#tokens.authenticateToken(token, this.#audiences), userOf);
  }
}

/** Bearer tokens in the Authorization header. `audiences`: the server's own. */
export class BearerAuthenticator extends TokenRequestAuthenticator {
  constructor(tokens: TokenAuthenticator, audiences: readonly string[]) {
    super((request) => bearerToken(request.headers.authorization, request), tokens, audiences);
  }
}

/** Tokens in the subprotocols of a WebSocket, for browsers. */
export class WebSocketAuthenticator extends TokenRequestAuthenticator {
  constructor(tokens: TokenAuthenticator, audiences: readonly string[]) {
    super((request) => webSocketToken(request.headers), tokens, audiences);
  }
}

function userOf(verified: VerifiedToken | undefined): UserInfo {
  if (!verified) throw new AuthenticationError(INVALID_TOKEN);
  return verified.user;
}
