import { type CryptoKey, compactVerify, errors } from 'jose';
import { AuthenticationError } from '../authenticator.js';
import type { JwtClaims, JwtIssuer, ParsedJwt, VerifiedJwt } from '../jwt/jwt-authenticator.js';
import type { ClaimMapper } from './claim-mapper.js';
import type { KeySet, RemoteKeySet } from './remote-key-set.js';
import type { SignInEndpoints } from './oidc-sign-in.js';

/** Clock skew tolerated before `nbf` (go-oidc verify.go); `exp` has none. */
const NOT_BEFORE_LEEWAY_MS = 300_000;
const EXPIRED = 'oidc: verify token: oidc: token is expired';

export interface OidcIssuerOptions {
  readonly keys: RemoteKeySet;
  readonly mapper: ClaimMapper;
  /** A token must contain at least one of them. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** The server's own audiences; an accepted token is valid for them. */
  readonly apiAudiences: readonly string[];
  readonly now: () => number;
}

/** Verifies tokens of one external issuer (apiserver plugin/pkg/authenticator/token/oidc). */
export class OidcIssuer implements JwtIssuer {
  readonly #options: OidcIssuerOptions;

  constructor(options: OidcIssuerOptions) {
    this.#options = options;
  }

  /** Prefetches the issuer's keys. A rejection is harmless: they are fetched again when needed. */
  async warmUp(): Promise<void> {
    await this.#options.keys.current();
  }

  /** Where users sign in; undefined if the issuer does not say. Rejects if it cannot be reached. */
  async endpoints(): Promise<SignInEndpoints | undefined> {
    return (await this.#options.keys.current()).endpoints;
  }

  async verify(jwt: ParsedJwt): Promise<VerifiedJwt> {
    const { audiences, apiAudiences, mapper } = this.#options;
    const { claims } = jwt;
    const named = audiencesOf(claims);
    if (!named.some((audience) => audiences.includes(audience))) {
      throw refusal(`expected audience in ${JSON.stringify(audiences)} got ${JSON.stringify(named)}`);
    }
    const expiresAt = this.#checkTimes(claims);
    await this.#verifySignature(jwt);
    return { user: mapper.userOf(claims), audiences: apiAudiences, expiresAt, expiredText: EXPIRED };
  }

  /** Checks `exp` and `nbf`; returns the expiry. */
  #checkTimes({ exp, nbf }: JwtClaims): number {
    const now = this.#options.now();
    const end = typeof exp === 'number' ? exp * 1000 : 0;
    if (now >= end) throw new AuthenticationError(EXPIRED);
    if (nbf === undefined) return end;
    if (typeof nbf !== 'number' || now + NOT_BEFORE_LEEWAY_MS < nbf * 1000) throw refusal('token is not valid yet');
    return end;
  }

  /** Verifies with cached keys; if the token's key is not among them, with the issuer's current ones. */
  async #verifySignature({ token, header }: ParsedJwt): Promise<void> {
    const { keys } = this.#options;
    const known = await asked(keys.current());
    if (await this.#fits(token, known)) return;
    const { kid } = header;
    const mayBeNew = typeof kid !== 'string' || !known.ids.has(kid);
    const newer = mayBeNew ? await asked(keys.newer(known)) : undefined;
    if (!newer || !(await this.#fits(token, newer))) throw refusal('failed to verify signature');
  }

  async #fits(token: string, { find }: KeySet): Promise<boolean> {
    const options = { algorithms: [...this.#options.algorithms] };
    try {
      await compactVerify(token, find, options);
      return true;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return false;
      for await (const key of error) {
        if (await isSignedWith(token, key, options)) return true;
      }
      return false;
    }
  }
}

async function isSignedWith(token: string, key: CryptoKey, options: { algorithms: string[] }): Promise<boolean> {
  try {
    await compactVerify(token, key, options);
    return true;
  } catch {
    return false;
  }
}

async function asked<T>(keys: Promise<T>): Promise<T> {
  try {
    return await keys;
  } catch (error) {
    throw refusal(`failed to verify signature: fetching keys: ${(error as Error).message}`);
  }
}

function refusal(text: string): AuthenticationError {
  return new AuthenticationError(`oidc: verify token: ${text}`);
}

function audiencesOf({ aud }: JwtClaims): string[] {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.filter((each): each is string => typeof each === 'string');
}
