import type { Authenticator } from '../../auth/authentication/authenticator.js';
import { BearerAuthenticator, WebSocketAuthenticator } from '../../auth/authentication/bearer-authenticator.js';
import type { TokenUser } from '../../auth/authentication/static-tokens.js';
import { StaticTokens } from '../../auth/authentication/static-tokens.js';
import { parseTokenFile, TokenFileError } from '../../auth/authentication/token-file.js';
import { TokenUnion } from '../../auth/authentication/token-union.js';
import { TokenVerifier } from '../../auth/authentication/token-verifier.js';
import { UnionAuthenticator } from '../../auth/authentication/union-authenticator.js';
import { SYSTEM_MASTERS } from '../../auth/authentication/well-known-users.js';
import { JwtAuthenticator } from '../../auth/authentication/jwt/jwt-authenticator.js';
import { systemClock } from '../../telemetry/clock.js';
import type { ServerConfig } from '../config/server-config.js';
import { StartError } from '../start-error.js';
import { readGivenFile } from './read-given-file.js';
import type { ServiceAccountTokens } from './service-account-tokens.js';
import { createServiceAccountTokens } from './service-account-tokens.js';

/** Who gets in. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly tokens: TokenVerifier;
  readonly serviceAccountTokens: ServiceAccountTokens;
}

/** The generated secrets that let somebody in. */
export interface AccessSecrets {
  readonly adminToken: string;
  /** Signs tokens of service accounts, as PEM, unless another one is given. */
  readonly serviceAccountKey: string;
}

/** Every way in, in upstream's order (kubeapiserver/authenticator/config.go): what is decided here before what asks others. */
export function createAuthentication(config: ServerConfig, { adminToken, serviceAccountKey }: AccessSecrets): Authentication {
  const serviceAccountTokens = createServiceAccountTokens(config, serviceAccountKey, systemClock);
  const { audiences } = serviceAccountTokens;
  const tokens = new TokenUnion([staticTokens(config, adminToken, audiences), jwts(serviceAccountTokens)]);
  const authenticators = [new BearerAuthenticator(tokens, audiences), new WebSocketAuthenticator(tokens, audiences)];
  return {
    authenticator: new UnionAuthenticator({ authenticators, ...anonymous(config) }),
    tokens: new TokenVerifier(tokens, audiences),
    serviceAccountTokens,
  };
}

/** JWTs, each by its issuer. */
function jwts({ issuers, verifier }: ServiceAccountTokens): JwtAuthenticator {
  return new JwtAuthenticator(new Map(issuers.map((issuer) => [issuer, verifier])), systemClock);
}

/** The generated admin and the users of the token file. */
function staticTokens(config: ServerConfig, adminToken: string, audiences: readonly string[]): StaticTokens {
  const admin: TokenUser = { token: adminToken, user: { name: 'admin', uid: 'admin', groups: [SYSTEM_MASTERS], extra: {} } };
  return new StaticTokens([admin, ...fileUsers(config.tokenAuthFile)], audiences);
}

/** Lets requests without credentials in as kube-apiserver does. */
function anonymous(config: ServerConfig): { anonymous: boolean; anonymousPaths?: ReadonlySet<string> } {
  // What upstream's AuthenticationConfiguration says in `anonymous.conditions`: it knows what it opens, so AlwaysAllow is no obstacle.
  if (config.anonymousAuthPaths.length > 0) {
    return { anonymous: config.anonymousAuth, anonymousPaths: new Set(config.anonymousAuthPaths) };
  }
  // With AlwaysAllow everybody could do everything: kubeapiserver/options/authentication.go ApplyAuthorization.
  return { anonymous: config.anonymousAuth && !config.authorizationMode.includes('AlwaysAllow') };
}

function fileUsers(file: string): TokenUser[] {
  if (file === '') return [];
  try {
    return parseTokenFile(readGivenFile('--token-auth-file', file));
  } catch (error) {
    if (error instanceof TokenFileError) throw new StartError(`cannot use --token-auth-file ${file}: ${error.message}`);
    throw error;
  }
}
