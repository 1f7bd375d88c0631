import { refusalText } from './sign-in-answer.js';
import { SignInError } from './sign-in-error.js';

const TIMEOUT_MS = 15_000;

export interface CodeExchange {
  readonly endpoint: string;
  readonly clientId: string;
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Exchanges the code for an ID token (RFC 6749 section 4.1.3). Rejects with SignInError. */
export async function exchangeCode({ endpoint, clientId, code, verifier, redirectUri }: CodeExchange): Promise<string> {
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
