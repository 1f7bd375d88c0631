import type { AuthenticationRequest } from './authenticator.js';

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
