import { authorizationUrl } from './authorization-url.js';
import { keepPending } from './pending-sign-in.js';
import { randomText } from './pkce.js';
import { pageUrl } from './page-url.js';
import { SignInError } from './sign-in-error.js';
import type { SignInOffer } from './sign-in-offer.js';

/** Leaves the page for the issuer, which leads back to it. Rejects with SignInError. */
export async function beginSignIn(offer: SignInOffer, endpoint: string): Promise<void> {
  if (!isSecureContext) throw new SignInError('Signing in at an issuer needs this page to be served over https.');
  const pending = { state: randomText(), nonce: randomText(), verifier: randomText(), hash: location.hash };
  const url = await authorizationUrl(offer, endpoint, pending, pageUrl());
  keepPending(sessionStorage, pending);
  location.assign(url);
}
