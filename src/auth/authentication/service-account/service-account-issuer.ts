import { compactVerify } from 'jose';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import { AuthenticationError, serviceAccountGroups, serviceAccountUserName } from '../authenticator.js';
import type { JwtClaims, JwtIssuer, ParsedJwt, VerifiedJwt } from '../jwt/jwt-authenticator.js';
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

/** An account held by finalizers has no valid tokens from this long after its deletion time (go-jose DefaultLeeway). */
const DELETION_LEEWAY_MS = 60_000;

/**
 * Checks that the service account of a token still exists (kubernetes pkg/serviceaccount/claims.go Validate). The index is checked first;
 * an account that it does not confirm is read from the store. A deleted account never returns with the same uid, so its tokens remain
 * refused.
 */
class AccountCheck {
  readonly #account: ServiceAccountRef;
  readonly #index: ServiceAccountIndex;
  readonly #now: () => number;
  #gone: AuthenticationError | undefined;

  constructor(account: ServiceAccountRef, index: ServiceAccountIndex, now: () => number) {
    this.#account = account;
    this.#index = index;
    this.#now = now;
  }

  check(): void | Promise<void> {
    if (this.#gone) throw this.#gone;
    const { namespace, name, uid } = this.#account;
    const known = this.#index.get(namespace, name);
    if (known?.uid === uid && known.deletedAt === undefined) return;
    return this.#index.read(namespace, name).then((found) => this.#judge(found));
  }

  #judge(found: KnownServiceAccount | undefined): void {
    const { namespace, name, uid } = this.#account;
    if (!found) this.#refuse(`serviceaccounts "${name}" not found`);
    else if (found.uid !== uid) this.#refuse(`service account UID (${found.uid}) does not match claim (${uid})`);
    else if (found.deletedAt !== undefined && found.deletedAt < this.#now() - DELETION_LEEWAY_MS) {
      this.#refuse(`service account ${namespace}/${name} has been deleted`);
    }
  }

  #refuse(text: string): never {
    this.#gone = new AuthenticationError(text);
    throw this.#gone;
  }
}

/** State of a service account: its uid, and when it was marked for deletion, in milliseconds. */
export interface KnownServiceAccount {
  readonly uid: string;
  readonly deletedAt?: number;
}

/** Reads the current state of a service account; returns undefined if it does not exist. */
export type ReadServiceAccount = (namespace: string, name: string) => Promise<KnownServiceAccount | undefined>;

/**
 * All service accounts, kept up to date from the store with a short delay. `read` reads accounts missing in the index from the store
 * itself.
 */
export class ServiceAccountIndex {
  readonly #accounts = new Map<string, KnownServiceAccount>();
  #read: ReadServiceAccount = () => Promise.resolve(undefined);

  /** Sets the function that `read` uses from now on. */
  readFrom(read: ReadServiceAccount): void {
    this.#read = read;
  }

  set(namespace: string, name: string, account: KnownServiceAccount): void {
    this.#accounts.set(`${namespace}/${name}`, account);
  }

  delete(namespace: string, name: string): void {
    this.#accounts.delete(`${namespace}/${name}`);
  }

  get(namespace: string, name: string): KnownServiceAccount | undefined {
    return this.#accounts.get(`${namespace}/${name}`);
  }

  read(namespace: string, name: string): Promise<KnownServiceAccount | undefined> {
    return this.#read(namespace, name);
  }
}

/** The service account of a token; the uid distinguishes it from a later one of the same name. */
export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The claims of a token of a service account (kubernetes pkg/serviceaccount/claims.go). Times are seconds. */
export interface ServiceAccountClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  /** Identifies the token in audit logs and in `credential-id`. */
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
  };
  readonly nbf: number;
  readonly sub: string;
}
