import type { PendingSignIn } from './pending-sign-in.js';
import { challengeOf } from './pkce.js';
import type { SignInOffer } from './sign-in-offer.js';

/** The address at which the issuer asks the user (OpenID Connect Core 1.0 section 3.1.2.1, RFC 7636 section 4.3). */
export async function authorizationUrl(
  { clientId, scope }: SignInOffer,
  endpoint: string,
  { state, nonce, verifier }: PendingSignIn,
  redirectUri: string,
): Promise<string> {
  const url = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
