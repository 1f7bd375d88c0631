import { StartError } from '../../../settings/start-error.js';
import type { JwtAuthenticatorConfig } from './jwt-authenticator-config.js';

const FLAG = '--ui-oidc-client-id';
/** How long a page waits for an issuer's discovery document before it is served without one. */
const PATIENCE_MS = 2000;

/** What a browser needs to sign its user in. It is public. */
export interface SignInTerms {
  /** The `iss` of the tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /** The requested scopes, separated by spaces. */
  readonly scope: string;
}

/** The part of an OidcIssuer that signs users in. */
interface SigningIssuer {
  endpoints(): Promise<SignInEndpoints | undefined>;
}

export interface OidcSignInOptions {
  /** Identifies the dashboard to the issuer, and is the audience of its users' ID tokens. */
  readonly clientId: string;
  /** Scopes in addition to `openid`. */
  readonly scopes: readonly string[];
}

/**
 * The sign-in of the dashboard's users at the issuer that issues tokens for its client. Which issuer that is follows from the audiences, since
 * tokens for a client that no issuer accepts would be useless.
 */
export class OidcSignIn {
  readonly #options: OidcSignInOptions;
  #issuer: SigningIssuer | undefined;
  #url = '';
  #known: SignInEndpoints | undefined;

  constructor(options: OidcSignInOptions) {
    this.#options = options;
  }

  /** Chooses the issuer; `issuers` is keyed by URL. Throws a StartError, and changes nothing, unless exactly one accepts the client. */
  choose(configs: readonly JwtAuthenticatorConfig[], issuers: ReadonlyMap<string, SigningIssuer>): void {
    const { clientId } = this.#options;
    const urls = configs.filter(({ issuer }) => issuer.audiences?.includes(clientId)).map(({ issuer }) => issuer.url);
    const [url = ''] = urls;
    if (urls.length === 0) throw new StartError(`${FLAG}=${clientId} is not among the audiences of any JWT issuer`);
    if (urls.length > 1) throw new StartError(`${FLAG}=${clientId} is an audience of several JWT issuers: ${urls.join(', ')}`);
    const issuer = issuers.get(url);
    if (issuer !== this.#issuer) this.#known = undefined;
    [this.#issuer, this.#url] = [issuer, url];
  }

  get terms(): SignInTerms {
    const { clientId, scopes } = this.#options;
    return { issuer: this.#url, clientId, scope: [...new Set(['openid', ...scopes])].join(' ') };
  }

  /** The issuer's endpoints, or the last known ones if it does not respond. Rejects if none are known. */
  async endpoints(): Promise<SignInEndpoints> {
    const issuer = this.#issuer;
    try {
      const endpoints = await inTime(issuer?.endpoints() ?? Promise.resolve(undefined));
      if (!endpoints) throw new Error(`the configuration of ${this.#url} names no https authorization_endpoint and token_endpoint`);
      if (issuer === this.#issuer) this.#known = endpoints;
      return endpoints;
    } catch (error) {
      if (this.#known) return this.#known;
      throw error;
    }
  }
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the issuer does not respond in time')), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Where an issuer signs users in by the authorization code flow. */
export interface SignInEndpoints {
  /** The page to which the browser goes. */
  readonly authorization: string;
  /** Exchanges the code that the browser brings back for tokens. */
  readonly token: string;
}

/** The endpoints in an issuer's discovery document (OpenID Connect Discovery 1.0 section 3); undefined unless both are https URLs. */
export function signInEndpoints(configuration: Readonly<Record<string, unknown>>): SignInEndpoints | undefined {
  const authorization = httpsUrl(configuration['authorization_endpoint']);
  const token = httpsUrl(configuration['token_endpoint']);
  return authorization !== undefined && token !== undefined ? { authorization, token } : undefined;
}

function httpsUrl(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  return url.href;
}
