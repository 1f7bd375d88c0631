import { CompactSign } from 'jose';
import { readGivenFile } from '../../../settings/given-files.js';
import { StartError } from '../../../settings/start-error.js';
import type { AuthSettings } from '../../auth.settings.js';
import { serviceAccountUserName } from '../authenticator.js';
import { type ServiceAccountClaims, type ServiceAccountRef, ServiceAccountIndex, ServiceAccountIssuer } from './service-account-issuer.js';
import { type SigningKey, type TokenKey, TokenKeyError, parseSigningKey, parseTokenKeys } from './token-key.js';

/** Issuing and verifying of service account tokens, assembled at start. */
export interface ServiceAccountTokens {
  /** Signs tokens. */
  readonly issuer: ServiceAccountTokenIssuer;
  /** Verifies tokens. */
  readonly verifier: ServiceAccountIssuer;
  /** Accepted values of `iss`; new tokens use the first. */
  readonly issuers: readonly string[];
  readonly keys: readonly TokenKey[];
  /** The server's own audiences, for tokens requested without audiences. */
  readonly audiences: readonly string[];
  readonly maxExpirationSeconds: number;
  /** The existing service accounts; must be filled. */
  readonly accounts: ServiceAccountIndex;
}

/**
 * `sharedKey`: the generated PEM key, used unless a key is configured; `accepted` is called for each token that was verified. Throws a
 * StartError if configured files cannot be used.
 */
export function createServiceAccountTokens(
  config: AuthSettings,
  sharedKey: string,
  now: () => number,
  accepted?: () => void,
): ServiceAccountTokens {
  const signing = signingKey(config, sharedKey);
  const keys = withFirst(signing, givenKeys(config));
  const audiences = apiAudiences(config);
  const accounts = new ServiceAccountIndex();
  return {
    issuer: new ServiceAccountTokenIssuer(config.serviceAccountIssuer[0] ?? '', signing),
    verifier: new ServiceAccountIssuer({ keys, audiences, accounts, now, ...(accepted && { accepted }) }),
    issuers: config.serviceAccountIssuer,
    keys,
    audiences,
    maxExpirationSeconds: Math.floor(config.serviceAccountMaxTokenExpiration / 1000),
    accounts,
  };
}

/** `--api-audiences`; by default the issuers of service accounts' tokens (kubeapiserver/options/authentication.go). */
function apiAudiences({ apiAudiences: given, serviceAccountIssuer }: AuthSettings): readonly string[] {
  return given.length > 0 ? given : serviceAccountIssuer;
}

function signingKey({ serviceAccountSigningKeyFile: file }: AuthSettings, sharedKey: string): SigningKey {
  if (file === '') return parseSigningKey(sharedKey);
  return using('--service-account-signing-key-file', file, parseSigningKey);
}

function givenKeys({ serviceAccountKeyFile }: AuthSettings): TokenKey[] {
  return serviceAccountKeyFile.flatMap((file) => using('--service-account-key-file', file, parseTokenKeys));
}

function using<T>(flag: string, file: string, parse: (pem: string) => T): T {
  const pem = readGivenFile(flag, file);
  try {
    return parse(pem);
  } catch (error) {
    if (error instanceof TokenKeyError) throw new StartError(`cannot use ${flag} ${file}: ${error.message}`);
    throw error;
  }
}

function withFirst(signing: SigningKey, others: readonly TokenKey[]): TokenKey[] {
  return [signing, ...others.filter(({ id }) => id !== signing.id)];
}

/** The contents of a new token. */
export interface TokenWish {
  readonly account: ServiceAccountRef;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** Identifies the token (`jti`). */
  readonly id: string;
  /** In milliseconds. */
  readonly now: number;
}

/** Signs service account tokens. */
export class ServiceAccountTokenIssuer {
  readonly #issuer: string;
  readonly #key: SigningKey;

  /** `issuer`: the `iss` of the tokens. */
  constructor(issuer: string, key: SigningKey) {
    this.#issuer = issuer;
    this.#key = key;
  }

  issue({ account, audiences, expirationSeconds, id, now }: TokenWish): Promise<string> {
    const { namespace, name, uid } = account;
    const seconds = Math.floor(now / 1000);
    const claims: ServiceAccountClaims = {
      aud: audiences,
      exp: seconds + expirationSeconds,
      iat: seconds,
      iss: this.#issuer,
      jti: id,
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      nbf: seconds,
      sub: serviceAccountUserName(account),
    };
    return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: this.#key.algorithm, kid: this.#key.id })
      .sign(this.#key.privateKey);
  }
}

/** Issues service account tokens. The class is the injection token. */
export abstract class TokenIssuing {
  abstract readonly issuer: ServiceAccountTokenIssuer;
  /** The audiences of tokens requested without any. */
  abstract readonly audiences: readonly string[];
  /** Maximum lifetime of a token; 0 means no limit. */
  abstract readonly maxExpirationSeconds: number;
}
