import { hash } from 'node:crypto';
import { quote } from '../../../apimachinery/errors/field-error.js';
import { ExpiringCache } from '../../expiring-cache.js';
import { AuthenticationError } from '../authentication-error.js';
import { commonAudiences } from '../common-audiences.js';
import type { TokenAuthenticator, VerifiedToken } from '../token-authenticator.js';
import type { ParsedJwt } from './parsed-jwt.js';
import { parseJwt } from './parsed-jwt.js';
import type { JwtIssuer, VerifiedJwt } from './verified-jwt.js';

/** How many tokens are remembered at most. */
const MOST = 10_000;
/** How long a verified token is believed to be so, as upstream has it (kubeapiserver/authenticator/config.go TokenSuccessCacheTTL). */
const TTL_MS = 10_000;

/**
 * JWTs, each given to whoever knows its issuer; those of others are none of its own. What was verified is remembered for some seconds,
 * so that most requests cost a digest and two look-ups; expiry, and whatever else may end a token, is looked at every time.
 */
export class JwtAuthenticator implements TokenAuthenticator {
  readonly #now: () => number;
  readonly #recent: ExpiringCache<VerifiedJwt>;
  /** Verifications under way, so that a burst with one token costs one. */
  readonly #underWay = new Map<string, Promise<VerifiedJwt>>();
  #issuers: ReadonlyMap<string, JwtIssuer>;

  /** `issuers` by the `iss` of their tokens; `now` in milliseconds. */
  constructor(issuers: ReadonlyMap<string, JwtIssuer>, now: () => number) {
    this.#issuers = issuers;
    this.#now = now;
    this.#recent = new ExpiringCache(MOST, now);
  }

  /** From now on these are the issuers, and everything is verified anew. */
  replace(issuers: ReadonlyMap<string, JwtIssuer>): void {
    this.#issuers = issuers;
    this.#recent.clear();
    this.#underWay.clear();
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
    const underWay = this.#underWay.get(digest);
    if (underWay) return underWay;
    const verifying = this.#verify(digest, issuer, jwt);
    this.#underWay.set(digest, verifying);
    return verifying;
  }

  async #verify(digest: string, issuer: JwtIssuer, jwt: ParsedJwt): Promise<VerifiedJwt> {
    const issuers = this.#issuers;
    try {
      const verified = await issuer.verify(jwt);
      if (issuers === this.#issuers) this.#recent.set(digest, verified, TTL_MS);
      return verified;
    } finally {
      if (issuers === this.#issuers) this.#underWay.delete(digest);
    }
  }

  #answer(verified: VerifiedJwt, wanted: readonly string[]): VerifiedToken | Promise<VerifiedToken> {
    if (this.#now() >= verified.expiresAt) throw new AuthenticationError(verified.expiredText);
    const audiences = commonAudiences(verified.audiences, wanted);
    if (audiences.length === 0) {
      throw new AuthenticationError(`token audiences ${quoted(verified.audiences)} is invalid for the target audiences ${quoted(wanted)}`);
    }
    const answer = { user: verified.user, audiences };
    const checked = verified.check?.();
    return checked instanceof Promise ? checked.then(() => answer) : answer;
  }
}

/** Go's %q of a list. */
function quoted(list: readonly string[]): string {
  return `[${list.map(quote).join(' ')}]`;
}
