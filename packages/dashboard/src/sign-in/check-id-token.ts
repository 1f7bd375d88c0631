import { jwtClaims } from '../session/jwt-claims.js';
import { SignInError } from './sign-in-error.js';
import type { SignInOffer } from './sign-in-offer.js';

/**
 * Throws a SignInError unless the token was issued for this sign-in (OpenID Connect Core 1.0 section 3.1.3.7). Its signature and its times
 * are verified by the server, which the token is for.
 */
export function checkIdToken(token: string, nonce: string, { issuer, clientId }: SignInOffer): void {
  const claims = jwtClaims(token);
  if (!claims) throw new SignInError('The issuer has sent no valid ID token.');
  if (claims['nonce'] !== nonce) throw new SignInError('The issuer has sent an ID token of another sign-in. Try again.');
  const audience = claims['aud'];
  const isForPage = Array.isArray(audience) ? audience.includes(clientId) : audience === clientId;
  if (claims['iss'] !== issuer || !isForPage) {
    throw new SignInError('The issuer has sent an ID token of another issuer or for another client.');
  }
}
