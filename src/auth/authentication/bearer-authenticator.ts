import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { whenReady } from '../../time/backoff.js';
import { type AuthenticationRequest, type Authenticator, ANONYMOUS, AuthenticationError, withAuthenticatedGroup } from './authenticator.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';

const INVALID_TOKEN = 'invalid bearer token';

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

/**
 * Parses the token of an Authorization header. Two spaces before the token yield no token and a Warning (apiserver
 * authentication/request/bearertoken).
 */
export function bearerToken(authorization: string | undefined, request: Pick<AuthenticationRequest, 'warn'>): string | undefined {
  const header = authorization?.trim();
  if (!header) return undefined;
  const space = header.indexOf(' ');
  if (space < 0 || header.slice(0, space).toLowerCase() !== 'bearer') return undefined;
  const end = header.indexOf(' ', space + 1);
  if (end === space + 1) {
    request.warn('the provided Authorization header contains extra space before the bearer token, and is ignored');
    return undefined;
  }
  return header.slice(space + 1, end < 0 ? undefined : end);
}

const TOKEN_PREFIX = 'base64url.bearer.authorization.k8s.io.';
const HEADER = 'sec-websocket-protocol';
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The subprotocols that a WebSocket client offers, without the one that carries the token. */
export function webSocketProtocols(headers: IncomingHttpHeaders): string[] {
  return offered(headers).filter((protocol) => !protocol.startsWith(TOKEN_PREFIX));
}

/**
 * Parses the bearer token that a browser sends as a WebSocket subprotocol, because it cannot set headers (apiserver
 * pkg/authentication/request/websocket/protocol.go). Another subprotocol must be present. Throws an AuthenticationError if the token is
 * malformed.
 */
export function webSocketToken(headers: IncomingHttpHeaders): string | undefined {
  if (headers[HEADER] === undefined || headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const [encoded, ...others] = offered(headers).flatMap((protocol) =>
    protocol.startsWith(TOKEN_PREFIX) ? [protocol.slice(TOKEN_PREFIX.length)] : [],
  );
  if (encoded === undefined || encoded === '') return undefined;
  if (others.length > 0) throw new AuthenticationError('multiple base64.bearer.authorization tokens specified');
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) throw new AuthenticationError('invalid base64.bearer.authorization token encoding');
  if (webSocketProtocols(headers).length === 0) throw new AuthenticationError('missing additional subprotocol');
  try {
    return UTF8.decode(Buffer.from(encoded, 'base64url'));
  } catch {
    throw new AuthenticationError('invalid base64.bearer.authorization token');
  }
}

function offered(headers: IncomingHttpHeaders): string[] {
  const header = headers[HEADER] ?? '';
  return header === '' ? [] : header.split(',').map((protocol) => protocol.trim());
}

/** Verifies tokens for TokenReviews. */
export class TokenVerifier {
  readonly #tokens: TokenAuthenticator;
  readonly #audiences: readonly string[];
  readonly #anonymous: boolean;

  /** `audiences`: the server's own. `anonymous`: whether requests for any path may come without credentials. */
  constructor(tokens: TokenAuthenticator, audiences: readonly string[], anonymous: boolean) {
    this.#tokens = tokens;
    this.#audiences = audiences;
    this.#anonymous = anonymous;
  }

  /**
   * Resolves with the user of a token. Rejects with an AuthenticationError if nobody accepts it or it is for other audiences; without
   * `wanted` it must be for this server.
   */
  async verify(given: string, wanted: readonly string[]): Promise<VerifiedToken> {
    // Parsed like an Authorization header, as upstream does (registry/authentication/tokenreview).
    const token = bearerToken(`Bearer ${given}`, { warn: () => undefined });
    const audiences = wanted.length === 0 ? this.#audiences : wanted;
    // A header with such a token is one without credentials.
    if (token === undefined && this.#anonymous) return { user: ANONYMOUS, audiences };
    const verified = token && (await this.#owner(token, audiences));
    if (!verified) throw new AuthenticationError(INVALID_TOKEN);
    return { ...verified, user: withAuthenticatedGroup(verified.user) };
  }

  /** Upstream's text begins with that of its loopback client's authenticator, which rejects every other token (server/config.go). */
  async #owner(token: string, audiences: readonly string[]): Promise<VerifiedToken | undefined> {
    try {
      return await this.#tokens.authenticateToken(token, audiences);
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      throw AuthenticationError.join(new AuthenticationError(INVALID_TOKEN), error);
    }
  }
}
