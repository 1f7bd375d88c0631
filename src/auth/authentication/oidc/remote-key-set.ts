import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { type JWK, createLocalJWKSet } from 'jose';
import { textWithin } from '../../../kube/kube-client.js';
import { type SignInEndpoints, signInEndpoints } from './oidc-sign-in.js';

export interface RemoteKeySetOptions {
  readonly issuer: string;
  /** URL of the discovery document; '' means below the issuer's URL. */
  readonly discoveryUrl: string;
  readonly get: GetDocument;
  readonly now: () => number;
}

/** The keys of an issuer as of one fetch. */
export interface KeySet {
  /** Finds the key for a token's header; rejects if there is none or more than one. */
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly ids: ReadonlySet<string>;
  /** When the keys must be fetched again. */
  readonly staleAt: number;
  /** Where users sign in, from the same discovery document; absent if it does not say. */
  readonly endpoints?: SignInEndpoints | undefined;
}

const WELL_KNOWN = '/.well-known/openid-configuration';
/** Bounds and default of the time after which keys are fetched again; the response may set it within the bounds. */
const [MIN_AGE_MS, DEFAULT_AGE_MS, MAX_AGE_MS] = [10_000, 300_000, 3_600_000];
/** How long keys remain valid after that time if the issuer cannot be reached. */
const GRACE_MS = 86_400_000;
/** Maximum rate of fetches caused by unknown key ids, which any client can send. */
const [FETCHES, FETCHES_IN_MS] = [5, 10_000];

/**
 * The keys published by an issuer. They are located by OpenID Connect discovery on first use, and fetched again when they are old or when a
 * token names an unknown key, so that the issuer can rotate them. Keys that are no longer published are not accepted.
 */
export class RemoteKeySet {
  readonly #options: RemoteKeySetOptions;
  readonly #fetches: number[] = [];
  #known: KeySet | undefined;
  #inFlight: Promise<KeySet> | undefined;

  constructor(options: RemoteKeySetOptions) {
    this.#options = options;
  }

  /** The newest key set. Rejects if there is none and the issuer cannot be reached. */
  async current(): Promise<KeySet> {
    const now = this.#options.now();
    const known = this.#known;
    if (known && now < known.staleAt) return known;
    try {
      return await this.#fetch();
    } catch (error) {
      if (known && now < known.staleAt + GRACE_MS) return known;
      throw error;
    }
  }

  /** A key set newer than `than`; undefined if the fetch limit is reached. Rejects like `current`. */
  async newer(than: KeySet): Promise<KeySet | undefined> {
    if (this.#known && this.#known !== than) return this.#known;
    return this.#inFlight || this.#mayFetch() ? this.#fetch() : undefined;
  }

  #mayFetch(): boolean {
    const now = this.#options.now();
    while (this.#fetches.length > 0 && (this.#fetches[0] ?? 0) <= now - FETCHES_IN_MS) this.#fetches.shift();
    return this.#fetches.length < FETCHES;
  }

  #fetch(): Promise<KeySet> {
    if (this.#inFlight) return this.#inFlight;
    if (!this.#mayFetch()) return Promise.reject(new Error('its keys were requested too often; trying again soon'));
    this.#fetches.push(this.#options.now());
    const fetching = this.#load().finally(() => (this.#inFlight = undefined));
    this.#inFlight = fetching;
    return fetching;
  }

  async #load(): Promise<KeySet> {
    const { issuer, discoveryUrl, get, now } = this.#options;
    const place = discoveryUrl || issuer.replace(/\/$/, '') + WELL_KNOWN;
    const { value: configuration } = await get(place);
    if (configuration['issuer'] !== issuer) {
      throw new Error(`${place} belongs to another issuer: ${JSON.stringify(configuration['issuer'])}`);
    }
    const jwksUri = configuration['jwks_uri'];
    if (typeof jwksUri !== 'string') throw new Error(`${place} names no jwks_uri`);
    const { value, maxAgeSeconds } = await get(jwksUri);
    const age = maxAgeSeconds === undefined ? DEFAULT_AGE_MS : Math.min(MAX_AGE_MS, Math.max(MIN_AGE_MS, maxAgeSeconds * 1000));
    const keys = publicKeys(value['keys'], jwksUri);
    this.#known = {
      find: createLocalJWKSet({ keys }),
      ids: new Set(keys.map(({ kid }) => String(kid))),
      staleAt: now() + age,
      endpoints: signInEndpoints(configuration),
    };
    return this.#known;
  }
}

/** Keys for verifying signatures, without private parts; symmetric keys are dropped. */
function publicKeys(keys: unknown, url: string): JWK[] {
  if (!Array.isArray(keys)) throw new Error(`${url} contains no keys`);
  const usable = keys.filter((key): key is JWK => ['RSA', 'EC'].includes(String((key as JWK | null)?.kty)));
  return usable.map(({ kty, n, e, crv, x, y, kid, alg, use, key_ops }) =>
    Object.fromEntries(Object.entries({ kty, n, e, crv, x, y, kid, alg, use, key_ops }).filter(([, value]) => value !== undefined)),
  );
}

/** A fetched JSON document. */
interface RemoteDocument {
  readonly value: Readonly<Record<string, unknown>>;
  /** Cache lifetime in seconds, if the response has one. */
  readonly maxAgeSeconds?: number;
}

/** Fetches a document. Rejects with an Error whose message is one line. */
type GetDocument = (url: string) => Promise<RemoteDocument>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1 << 20;
const MAX_REDIRECTS = 5;

/** Fetches documents over HTTPS. `authority`: PEM of the servers' CA; '': the system's CAs. */
export function httpsDocuments(authority: string): GetDocument {
  const agent = new https.Agent({ keepAlive: false, ...(authority === '' ? {} : { ca: authority }) });
  return (url) => follow(url, agent, MAX_REDIRECTS);
}

async function follow(url: string, agent: https.Agent, redirects: number): Promise<RemoteDocument> {
  const response = await request(url, agent);
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    response.destroy();
    if (redirects === 0) throw new Error(`${url} redirects too often`);
    return follow(new URL(headers.location, url).href, agent, redirects - 1);
  }
  const text = await textWithin(response, MAX_BYTES, () => new Error(`the response of ${url} is too large`));
  if (statusCode !== 200) throw new Error(`${url} responded with ${statusCode}`);
  const maxAge = /(?:^|[\s,])max-age=(\d+)/i.exec(headers['cache-control'] ?? '')?.[1];
  return { value: parsed(text, url), ...(maxAge === undefined ? {} : { maxAgeSeconds: Number(maxAge) }) };
}

function request(url: string, agent: https.Agent): Promise<IncomingMessage> {
  if (!url.startsWith('https:')) return Promise.reject(new Error(`${url} is not an https URL`));
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = https.get(url, { agent, signal, headers: { accept: 'application/json' } }, resolve);
    sent.on('error', (error) => reject(new Error(`cannot get ${url}: ${signal.aborted ? 'no response in time' : error.message}`)));
  });
}

function parsed(text: string, url: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below.
  }
  throw new Error(`the response of ${url} is not a JSON object`);
}
