import { ServiceAccountIndex } from '../../auth/authentication/service-account/service-account-index.js';
import { ServiceAccountIssuer } from '../../auth/authentication/service-account/service-account-issuer.js';
import type { SigningKey, TokenKey } from '../../auth/authentication/service-account/token-key.js';
import { parseSigningKey, parseTokenKeys, TokenKeyError } from '../../auth/authentication/service-account/token-key.js';
import { ServiceAccountTokenIssuer } from '../../auth/authentication/service-account/token-issuer.js';
import type { AccessConfig } from '../config/access-config.js';
import { StartError } from '../start-error.js';
import { readGivenFile } from './read-given-file.js';

/** Everything about the tokens of service accounts, put together at start. */
export interface ServiceAccountTokens {
  /** Signs them. */
  readonly issuer: ServiceAccountTokenIssuer;
  /** Verifies them. */
  readonly verifier: ServiceAccountIssuer;
  /** The `iss` of tokens that are accepted; new ones have the first. */
  readonly issuers: readonly string[];
  readonly keys: readonly TokenKey[];
  /** How this server is called: whom tokens are meant for that name nobody. */
  readonly audiences: readonly string[];
  readonly maxExpirationSeconds: number;
  /** The accounts that there are; to be fed. */
  readonly accounts: ServiceAccountIndex;
}

/** `sharedKey`: the generated one, as PEM, which counts unless another is given. StartError when given files cannot be used. */
export function createServiceAccountTokens(config: AccessConfig, sharedKey: string, now: () => number): ServiceAccountTokens {
  const signing = signingKey(config, sharedKey);
  const keys = withFirst(signing, givenKeys(config));
  const audiences = apiAudiences(config);
  const accounts = new ServiceAccountIndex();
  return {
    issuer: new ServiceAccountTokenIssuer(config.serviceAccountIssuer[0] ?? '', signing),
    verifier: new ServiceAccountIssuer({ keys, audiences, accounts, now }),
    issuers: config.serviceAccountIssuer,
    keys,
    audiences,
    maxExpirationSeconds: Math.floor(config.serviceAccountMaxTokenExpiration / 1000),
    accounts,
  };
}

/** `--api-audiences`; by default the issuers of service accounts' tokens (kubeapiserver/options/authentication.go). */
export function apiAudiences({ apiAudiences: given, serviceAccountIssuer }: AccessConfig): readonly string[] {
  return given.length > 0 ? given : serviceAccountIssuer;
}

function signingKey({ serviceAccountSigningKeyFile: file }: AccessConfig, sharedKey: string): SigningKey {
  if (file === '') return parseSigningKey(sharedKey);
  return using('--service-account-signing-key-file', file, parseSigningKey);
}

function givenKeys({ serviceAccountKeyFile }: AccessConfig): TokenKey[] {
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
