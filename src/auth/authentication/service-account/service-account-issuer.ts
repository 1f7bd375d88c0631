import { compactVerify } from 'jose';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import { serviceAccountGroups, serviceAccountUserName } from '../special-users.js';
import { AuthenticationError } from '../authentication-error.js';
import type { JwtClaims, ParsedJwt } from '../jwt/parsed-jwt.js';
import type { JwtIssuer, VerifiedJwt } from '../jwt/verified-jwt.js';
import { AccountCheck } from './account-check.js';
import type { ServiceAccountRef } from './service-account-claims.js';
import type { ServiceAccountIndex } from './service-account-index.js';
import type { TokenKey } from './token-key.js';

/** Tolerated clock skew (go-jose DefaultLeeway). */
const LEEWAY_MS = 60_000;
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
const EXPIRED = 'service account token has expired';

export interface ServiceAccountIssuerOptions {
  readonly keys: readonly TokenKey[];
  /** The server's own audiences, for tokens requested without audiences. */
  readonly audiences: readonly string[];
  readonly accounts: ServiceAccountIndex;
  readonly now: () => number;
  /** Called for each token that was verified. */
  readonly accepted?: () => void;
}

/** Verifies the tokens that servers of this program issue for service accounts (kubernetes pkg/serviceaccount/jwt.go). */
export class ServiceAccountIssuer implements JwtIssuer {
  readonly #options: ServiceAccountIssuerOptions;
  readonly #keys: ReadonlyMap<string, TokenKey>;

  constructor(options: ServiceAccountIssuerOptions) {
    this.#options = options;
    this.#keys = new Map(options.keys.map((key) => [key.id, key]));
  }

  async verify(jwt: ParsedJwt): Promise<VerifiedJwt> {
    await this.#verifySignature(jwt);
    const { now, accounts } = this.#options;
    const expiresAt = this.#checkTimes(jwt.claims);
    const account = accountOf(jwt.claims);
    const check = new AccountCheck(account, accounts, now);
    this.#options.accepted?.();
    return {
      user: userOf(account, jwt.claims['jti']),
      audiences: this.#audiencesOf(jwt.claims['aud']),
      expiresAt,
      expiredText: EXPIRED,
      check: () => check.check(),
    };
  }

  /** Verifies with the key named in the header; with any key if it names none. */
  async #verifySignature({ token, header: { kid } }: ParsedJwt): Promise<void> {
    const named = typeof kid === 'string' && kid !== '' ? this.#keys.get(kid) : undefined;
    const keys = kid === undefined || kid === '' ? [...this.#keys.values()] : named ? [named] : [];
    for (const { publicKey, algorithm } of keys) {
      try {
        await compactVerify(token, publicKey, { algorithms: [algorithm] });
        return;
      } catch {
        // Try the next key.
      }
    }
    throw new AuthenticationError(
      keys.length === 0 ? 'invalid signature, no keys found' : 'service account token has an invalid signature',
    );
  }

  /** Returns the expiry, including leeway. */
  #checkTimes({ exp, nbf, iat }: JwtClaims): number {
    const now = this.#options.now();
    if (isNumericDate(nbf) && now + LEEWAY_MS < nbf * 1000) throw new AuthenticationError('service account token is not valid yet');
    if (isNumericDate(iat) && now + LEEWAY_MS < iat * 1000) throw new AuthenticationError('service account token is issued in the future');
    if (exp === undefined) return Infinity;
    const end = isNumericDate(exp) ? exp * 1000 + LEEWAY_MS : 0;
    if (now > end) throw new AuthenticationError(EXPIRED);
    return end;
  }

  #audiencesOf(aud: unknown): readonly string[] {
    const named = (Array.isArray(aud) ? aud : [aud]).filter((each): each is string => typeof each === 'string' && each !== '');
    return named.length === 0 ? this.#options.audiences : named;
  }
}

function isNumericDate(claim: unknown): claim is number {
  return typeof claim === 'number';
}

/** Tokens bound to pods, secrets or nodes are refused: this server has no such objects. */
function accountOf(claims: JwtClaims): ServiceAccountRef {
  const { namespace, serviceaccount, pod, secret, node } = objectIn(claims, 'kubernetes.io');
  if (pod !== undefined || secret !== undefined || node !== undefined) {
    throw new AuthenticationError('service account token has been invalidated');
  }
  const { name, uid } = objectIn({ serviceaccount }, 'serviceaccount');
  if (typeof namespace !== 'string' || typeof name !== 'string' || typeof uid !== 'string') {
    throw new AuthenticationError('service account token claims could not be validated');
  }
  return { namespace, name, uid };
}

function objectIn(values: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = values[key];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function userOf(account: ServiceAccountRef, jti: unknown): UserInfo {
  const extra: UserInfo['extra'] = typeof jti === 'string' && jti !== '' ? { [CREDENTIAL_ID]: [`JTI=${jti}`] } : {};
  return Object.freeze({ name: serviceAccountUserName(account), uid: account.uid, groups: serviceAccountGroups(account.namespace), extra });
}
