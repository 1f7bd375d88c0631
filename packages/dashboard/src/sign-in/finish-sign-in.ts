import { jwtClaims, keepToken } from '../session/token-expiry.js';
import { type PendingSignIn, type SignInOffer, SignInError, hostOf, pageUrl, takePending } from './sign-in-offer.js';

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

const TIMEOUT_MS = 15_000;

interface CodeExchange {
  readonly endpoint: string;
  readonly clientId: string;
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Exchanges the code for an ID token (RFC 6749 section 4.1.3). Rejects with SignInError. */
async function exchangeCode({ endpoint, clientId, code, verifier, redirectUri }: CodeExchange): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  const [isRedeemed, answer] = await post(endpoint, body);
  if (!isRedeemed) throw new SignInError(refusalText(answer['error'], answer['error_description']));
  const token = answer['id_token'];
  if (typeof token !== 'string') throw new SignInError('The issuer has sent no ID token.');
  return token;
}

async function post(endpoint: string, body: URLSearchParams): Promise<[isOk: boolean, answer: Readonly<Record<string, unknown>>]> {
  const { host } = new URL(endpoint);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const headers = { accept: 'application/json' };
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body,
      signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    const answer: unknown = await response.json();
    if (typeof answer === 'object' && answer !== null) return [response.ok, answer as Readonly<Record<string, unknown>>];
  } catch (error) {
    // The browser does not tell the page apart: no connection, or no permission to read the response.
    if (!(error instanceof SyntaxError)) {
      throw new SignInError(`${host} does not answer this page. It must allow requests from ${location.origin} (CORS).`);
    }
  }
  throw new SignInError(`${host} has answered with something other than JSON.`);
}

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

/** What the issuer has added to the page's address. */
export interface SignInAnswer {
  readonly code: string | null;
  readonly error: string | null;
  readonly description: string | null;
  readonly state: string | null;
  /** The issuer's name for itself (RFC 9207). */
  readonly issuer: string | null;
}

/** Undefined if the address contains no answer. */
export function parseAnswer(search: string): SignInAnswer | undefined {
  const query = new URLSearchParams(search);
  const [code, error] = [query.get('code'), query.get('error')];
  if (code === null && error === null) return undefined;
  return { code, error, description: query.get('error_description'), state: query.get('state'), issuer: query.get('iss') };
}

/** A code, and the sign-in to which it belongs. */
interface GrantedSignIn {
  readonly code: string;
  readonly pending: PendingSignIn;
}

/**
 * Matches an answer to the sign-in that the tab has begun. Throws a SignInError. Anybody can make a link that looks like an answer, so
 * nothing of an answer to something that this tab has not asked is used or shown.
 */
export function grantedSignIn(answer: SignInAnswer, pending: PendingSignIn | undefined, { issuer }: SignInOffer): GrantedSignIn {
  if (!pending || answer.state !== pending.state) {
    throw new SignInError('This tab has received the answer to a sign-in that it did not begin. Try again.');
  }
  if (answer.issuer !== null && answer.issuer !== issuer) throw new SignInError('Another issuer has answered the sign-in. Try again.');
  if (answer.code === null || answer.error !== null) throw new SignInError(refusalText(answer.error, answer.description));
  return { code: answer.code, pending };
}

/** An OAuth 2.0 error as text (RFC 6749 sections 4.1.2.1 and 5.2). */
function refusalText(error: unknown, description: unknown): string {
  const code = typeof error === 'string' ? error : 'no reason given';
  return `The sign-in was refused: ${typeof description === 'string' && description !== '' ? `${description} (${code})` : code}`;
}
