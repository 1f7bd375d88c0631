import { type PendingSignIn, type SignInOffer, SignInError, challengeOf, keepPending, pageUrl, randomText } from './sign-in-offer.js';

/** Leaves the page for the issuer, which leads back to it. Rejects with SignInError. */
export async function beginSignIn(offer: SignInOffer, endpoint: string): Promise<void> {
  if (!isSecureContext) throw new SignInError('Signing in at an issuer needs this page to be served over https.');
  const pending = { state: randomText(), nonce: randomText(), verifier: randomText(), hash: location.hash };
  const url = await authorizationUrl(offer, endpoint, pending, pageUrl());
  keepPending(sessionStorage, pending);
  location.assign(url);
}

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
