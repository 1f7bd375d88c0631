import type { AuthenticationRequest } from './authenticator.js';
import { webSocketToken } from './web-socket-token.js';

/**
 * The token of an Authorization header or, without one, of a WebSocket's subprotocol; undefined where neither is. Two spaces before the token make it none, with a Warning
 * (apiserver authentication/request/bearertoken).
 */
export function bearerToken(request: AuthenticationRequest): string | undefined {
  const header = request.headers.authorization?.trim();
  if (!header) return webSocketToken(request.headers);
  const [scheme = '', token, ...rest] = header.split(' ');
  if (token === undefined || scheme.toLowerCase() !== 'bearer') return undefined;
  if (token === '') {
    if (rest.length > 0) request.warn('the provided Authorization header contains extra space before the bearer token, and is ignored');
    return undefined;
  }
  return token;
}
