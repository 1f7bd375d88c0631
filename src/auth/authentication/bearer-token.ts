import type { AuthenticationRequest } from './authenticator.js';

/**
 * The token of an Authorization header; undefined where there is none. Two spaces before the token make it none, with a Warning
 * (apiserver authentication/request/bearertoken).
 */
export function bearerToken(authorization: string | undefined, request: Pick<AuthenticationRequest, 'warn'>): string | undefined {
  const header = authorization?.trim();
  if (!header) return undefined;
  const [scheme = '', token, ...rest] = header.split(' ', 3);
  if (token === undefined || scheme.toLowerCase() !== 'bearer') return undefined;
  if (token === '') {
    if (rest.length > 0) request.warn('the provided Authorization header contains extra space before the bearer token, and is ignored');
    return undefined;
  }
  return token;
}
