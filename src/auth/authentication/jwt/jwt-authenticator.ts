import { hash } from 'node:crypto';
import { quote } from '../../../apimachinery/go/go-string.js';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import { whenReady } from '../../../time/backoff.js';
import { ExpiringCache } from '../../expiring-cache.js';
import { AuthenticationError } from '../authenticator.js';
import { type TokenAuthenticator, type VerifiedToken, commonAudiences } from '../token-authenticator.js';

/** Capacity of the cache of verified tokens. */
const MOST = 10_000;
/** How long a verified token is cached; upstream's value (kubeapiserver/authenticator/config.go TokenSuccessCacheTTL). */
const TTL_MS = 10_000;

/**
 * Authenticates JWTs by the verifier of their issuer; tokens of other issuers are ignored. Verified tokens are cached for some seconds, so
 * that most requests cost a digest and two lookups. Expiry, and whatever else may invalidate a token, is checked every time.
 */
export class JwtAuthenticator implements TokenAuthenticator {
  readonly #now: () => number;
  readonly #recent: ExpiringCache<VerifiedJwt>;
  /** Verifications in progress, so that a burst with one token costs one. */
  readonly #inFlight = new Map<string, Promise<VerifiedJwt>>();
  #issuers: ReadonlyMap<string, JwtIssuer>;

  /** `issuers` is keyed by the `iss` of their tokens; `now` is in milliseconds. */
  constructor(issuers: ReadonlyMap<string, JwtIssuer>, now: () => number) {
    this.#issuers = issuers;
    this.#now = now;
    this.#recent = new ExpiringCache(MOST, now);
  }

  /** Replaces the issuers and drops all cached verifications. */
  replace(issuers: ReadonlyMap<string, JwtIssuer>): void {
    this.#issuers = issuers;
    this.#recent.clear();
    this.#inFlight.clear();
  }

  authenticateToken(token: string, audiences: readonly string[]): VerifiedToken | undefined | Promise<VerifiedToken | undefined> {
    const digest = hash('sha256', token, 'base64');
    const known = this.#recent.get(digest);
    if (known) return this.#answer(known, audiences);
    const jwt = parseJwt(token);
    const issuer = jwt && this.#issuers.get(jwt.claims['iss'] as string);
    if (!issuer) return undefined;
    return this.#verifyOnce(digest, issuer, jwt).then((verified) => this.#answer(verified, audiences));
  }

  #verifyOnce(digest: string, issuer: JwtIssuer, jwt: ParsedJwt): Promise<VerifiedJwt> {
    const inFlight = this.#inFlight.get(digest);
    if (inFlight) return inFlight;
    const verifying = this.#verify(digest, issuer, jwt);
    this.#inFlight.set(digest, verifying);
    return verifying;
  }

  async #verify(digest: string, issuer: JwtIssuer, jwt: ParsedJwt): Promise<VerifiedJwt> {
    const issuers = this.#issuers;
    try {
      const verified = await issuer.verify(jwt);
      if (issuers === this.#issuers) this.#recent.set(digest, verified, TTL_MS);
      return verified;
    } finally {
      if (issuers === this.#issuers) this.#inFlight.delete(digest);
    }
  }

  #answer(verified: VerifiedJwt, wanted: readonly string[]): VerifiedToken | Promise<VerifiedToken> {
    if (this.#now() >= verified.expiresAt) throw new AuthenticationError(verified.expiredText);
    const audiences = commonAudiences(verified.audiences, wanted);
    if (audiences.length === 0) {
      throw new AuthenticationError(`token audiences ${quoted(verified.audiences)} is invalid for the target audiences ${quoted(wanted)}`);
    }
    const answer = { user: verified.user, audiences };
    return whenReady(verified.check?.(), () => answer);
  }
}

/** Go's %q of a list. */
function quoted(list: readonly string[]): string {
  return `[${list.map(quote).join(' ')}]`;
}

/** A parsed JWT. Nothing in it may be trusted before its signature is verified. */
export interface ParsedJwt {
  /** The complete token. */
  readonly token: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: JwtClaims;
}

export type JwtClaims = Readonly<Record<string, unknown>>;

/** Larger than any issuer's tokens, and than the headers of a request. */
const MAX_LENGTH = 65_536;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/;

/** Returns undefined if the text is not a JWT in compact form. */
function parseJwt(token: string): ParsedJwt | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  const [, first = '', second = ''] = COMPACT.exec(token) ?? [];
  const header = parsePart(first);
  const claims = header && parsePart(second);
  return claims && { token, header, claims };
}

function parsePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The contents of a verified JWT. */
export interface VerifiedJwt {
  readonly user: UserInfo;
  /** The audiences the token is meant for. */
  readonly audiences: readonly string[];
  /** Expiry in milliseconds; from then on the token is refused. */
  readonly expiresAt: number;
  /** The text of the refusal after expiry. */
  readonly expiredText: string;
  /**
   * Called for every request in addition to the expiry: returns if the token is still valid, throws an AuthenticationError if not. Returns
   * a promise only if it has to read something. If absent, only time invalidates the token.
   */
  check?(): void | Promise<void>;
}

/** A verifier of the tokens of one JWT issuer. */
export interface JwtIssuer {
  /** Throws an AuthenticationError for an invalid token. The caller has compared the issuer and nothing else. */
  verify(jwt: ParsedJwt): Promise<VerifiedJwt>;
}
