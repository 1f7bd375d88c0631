import { ANONYMOUS, AuthenticationError } from '../../auth/authentication/authenticator.js';
import { webSocketToken } from '../../auth/authentication/bearer-authenticator.js';
import type { ApiRequest } from './api-request.js';

/**
 * Whether a page of another site makes the request with what the browser adds by itself: its user's certificate, or its place in the network. The
 * page cannot read the response, but what the request changes would be changed. Browsers say where a page is from in Sec-Fetch-Site, older ones
 * in Origin; other clients send neither. Links to this server work. Of requests that came through a proxy, the proxy has judged.
 */
export function isFromForeignPage(request: ApiRequest, allowed: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if ((site === undefined && origin === undefined) || site === 'same-origin' || site === 'none') return false;
  if (request.isAuthorizedByProxy || isOwnCredential(request)) return false;
  if (origin !== undefined && (allowed.has(origin) || (site === undefined && isSameOrigin(origin, request)))) return false;
  return !isLink(request);
}

/**
 * Whether the client itself has presented a token: a browser adds none by itself, and no Authorization header for a page of another site. A
 * certificate takes precedence over a token in a WebSocket's protocols, so such a token next to one proves nothing.
 */
export function isOwnCredential({ user, impersonator, headers, connection }: ApiRequest): boolean {
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

export function isSameOrigin(origin: string, { headers }: ApiRequest): boolean {
  const own = `https://${headers.host ?? ''}`;
  return URL.canParse(origin) && URL.canParse(own) && new URL(origin).origin === new URL(own).origin;
}

/** The browser shows the response itself, as a page of its own. */
function isLink({ method, headers }: ApiRequest): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}
