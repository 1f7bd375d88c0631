import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** The parts of the authorization code flow that a test may falsify. */
export interface CodeFlowFaults {
  /** Parameters of the answer, instead of the right ones; '' removes one. */
  readonly answer?: Readonly<Record<string, string>>;
  /** Claims of the ID token, instead of the right ones. */
  readonly claims?: object;
  /** Of the pages that may read the answers of the token endpoint; default: any that asks. */
  readonly allowedOrigin?: string;
}

interface Granted {
  readonly query: URLSearchParams;
  readonly claims: object;
}

/**
 * The endpoints of an OpenID Connect provider that sign users in at a public client with PKCE. The user confirms the sign-in on a page of the
 * provider. Every code can be redeemed once.
 */
export class CodeFlow {
  faults: CodeFlowFaults = {};
  /** Requests for tokens, by their outcome. */
  readonly outcomes: string[] = [];
  readonly #codes = new Map<string, Granted>();
  readonly #clientId: string;
  readonly #sign: (claims: object) => Promise<string>;

  constructor(clientId: string, sign: (claims: object) => Promise<string>) {
    this.#clientId = clientId;
    this.#sign = sign;
  }

  /** Returns false if the path is none of the flow's. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://issuer');
    if (pathname === '/authorize') this.#askUser(searchParams, response);
    else if (pathname === '/confirm') this.#grant(searchParams, response);
    else if (pathname === '/token') void this.#redeem(request, response).catch((error: unknown) => response.destroy(error as Error));
    else return false;
    return true;
  }

  #askUser(query: URLSearchParams, response: ServerResponse): void {
    const missing = ['state', 'nonce', 'code_challenge', 'redirect_uri'].filter((name) => !query.get(name));
    const isRight = query.get('response_type') === 'code' && query.get('code_challenge_method') === 'S256';
    if (missing.length > 0 || !isRight || query.get('client_id') !== this.#clientId || !query.get('scope')?.split(' ').includes('openid')) {
      response.writeHead(400).end(`not a request of the code flow with PKCE: ${query.toString()}`);
      return;
    }
    const link = `/confirm?${query.toString()}`.replaceAll('&', '&amp;');
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Issuer</title><a href="${link}">Continue as ann</a>`);
  }

  #grant(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    this.#codes.set(code, { query, claims: this.faults.claims ?? {} });
    const location = new URL(query.get('redirect_uri') ?? '');
    const answer = { code, state: query.get('state') ?? '', ...this.faults.answer };
    for (const [name, value] of Object.entries(answer)) if (value !== '') location.searchParams.set(name, value);
    response.writeHead(302, { location: location.href }).end();
  }

  async #redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const [status, answer] = await this.#answerTo(form);
    this.outcomes.push(status === 200 ? 'redeemed' : String(answer['error_description']));
    const allowed = this.faults.allowedOrigin ?? request.headers.origin ?? '';
    response.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': allowed }).end(JSON.stringify(answer));
  }

  async #answerTo(form: URLSearchParams): Promise<[status: number, answer: Record<string, unknown>]> {
    const refused = (description: string): [number, Record<string, unknown>] => [
      400,
      { error: 'invalid_grant', error_description: description },
    ];
    const granted = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    if (!granted || form.get('grant_type') !== 'authorization_code') return refused('the code is unknown');
    const { query, claims } = granted;
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (challenge !== query.get('code_challenge')) return refused('the verifier is wrong');
    if (form.get('redirect_uri') !== query.get('redirect_uri')) return refused('the redirect_uri is another');
    if (form.get('client_id') !== this.#clientId) return refused('the client is another');
    const token = await this.#sign({ aud: this.#clientId, nonce: query.get('nonce'), ...claims });
    return [200, { access_token: 'opaque', token_type: 'Bearer', expires_in: 3600, id_token: token }];
  }
}
