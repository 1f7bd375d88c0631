import { webSocketToken } from '../../auth/authentication/web-socket-token.js';
import { AuthenticationError } from '../../auth/authentication/authentication-error.js';
import { ANONYMOUS } from '../../auth/authentication/well-known-users.js';
import type { ApiRequest } from '../request/api-request.js';

/**
 * Whether the Origin of a WebSocket is one whose pages may use it. A browser sends its user's certificate for any page, and reaches what
 * the page's server does not; neither is the page's own. Such a page has the origin of this server, or one of `allowed`. Any URI
 * will do where the sender has shown a token: a browser adds none by itself, and no Authorization header at all to a WebSocket.
 */
export function isOriginAllowed(request: ApiRequest, allowed: ReadonlySet<string>): boolean {
  const { origin } = request.headers;
  if (origin === undefined || origin === 'null') return false;
  if (isOwnCredential(request)) return origin.startsWith('/') || URL.canParse(origin);
  return allowed.has(origin) || isSameOrigin(origin, request);
}

/** A certificate goes before a token, so that a token beside one proves nothing. */
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
