import type { ApiRequest } from '../request/api-request.js';
import { isOwnCredential, isSameOrigin } from '../request/foreign-page.js';

/**
 * Whether pages of a WebSocket's Origin may use it. A browser presents its user's certificate, and reaches private networks, on behalf of
 * any page, so such a page must have the origin of this server or one of `allowed`. If the client has presented a token, any URI is
 * accepted.
 */
export function isOriginAllowed(request: ApiRequest, allowed: ReadonlySet<string>): boolean {
  const { origin } = request.headers;
  if (origin === undefined || origin === 'null') return false;
  if (isOwnCredential(request)) return origin.startsWith('/') || URL.canParse(origin);
  return allowed.has(origin) || isSameOrigin(origin, request);
}
