import { webSocketToken } from '../../auth/authentication/web-socket-token.js';
import { AuthenticationError } from '../../auth/authentication/authentication-error.js';
import { ANONYMOUS } from '../../auth/authentication/well-known-users.js';
import type { ApiRequest } from '../request/api-request.js';

/**
 * Whether pages of a WebSocket's Origin may use it. A browser presents its user's certificate, and reaches private networks, on behalf of
 * any page, so such a page must have the origin of this server or one of `allowed`. If the client has presented a token, any URI is
 * accepted: a browser adds no token by itself, and no Authorization header to a WebSocket.
 */
export function isOriginAllowed(request: ApiRequest, allowed: ReadonlySet<string>): boolean {
  const { origin } = request.headers;
  if (origin === undefined || origin === 'null') return false;
  if (isOwnCredential(request)) return origin.startsWith('/') || URL.canParse(origin);
  return allowed.has(origin) || isSameOrigin(origin, request);
}

/** A certificate takes precedence over a token, so a token next to one proves nothing. */
function isOwnCredential({ user, impersonator, headers, connection }: ApiRequest): boolean {
  if ((impersonator ?? user).name === ANONYMOUS.name) return false;
  if (headers.authorization) return true;
  if ((connection?.certificates.length ?? 0) > 0) return false;
  try {
    return webSocketToken(headers) !== undefined;
  } catch (error) {
    if (error instanceof AuthenticationError) return false;
    throw error;
  }
}

function isSameOrigin(origin: string, { headers }: ApiRequest): boolean {
  const own = `https://${headers.host ?? ''}`;
  return URL.canParse(origin) && URL.canParse(own) && new URL(origin).origin === new URL(own).origin;
}
