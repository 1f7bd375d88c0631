import { keepToken } from '../session/kept-token.js';
import { checkIdToken } from './check-id-token.js';
import { exchangeCode } from './exchange-code.js';
import { pageUrl } from './page-url.js';
import { takePending } from './pending-sign-in.js';
import { type GrantedSignIn, grantedSignIn, parseAnswer } from './sign-in-answer.js';
import { SignInError } from './sign-in-error.js';
import { type SignInOffer, hostOf } from './sign-in-offer.js';

/**
 * If the issuer has led back to the page, exchanges the code in its address for a token of this tab. Resolves to the error if there is one.
 * Afterwards neither the address nor the tab contains anything of the sign-in.
 */
export async function finishSignIn(offer: SignInOffer): Promise<SignInError | undefined> {
  const answer = parseAnswer(location.search);
  const pending = takePending(sessionStorage);
  if (!answer) return undefined;
  history.replaceState(null, '', location.pathname + (pending?.hash ?? location.hash));
  try {
    keepToken(await redeem(grantedSignIn(answer, pending, offer), offer), false);
    return undefined;
  } catch (error) {
    if (error instanceof SignInError) return error;
    throw error;
  }
}

async function redeem({ code, pending: { verifier, nonce } }: GrantedSignIn, offer: SignInOffer): Promise<string> {
  const { clientId, endpoints } = offer;
  if (!endpoints) throw new SignInError(`The server cannot reach ${hostOf(offer)} at the moment. Try again.`);
  const token = await exchangeCode({ endpoint: endpoints.token, clientId, code, verifier, redirectUri: pageUrl() });
  checkIdToken(token, nonce, offer);
  return token;
}
