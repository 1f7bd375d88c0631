import type { Authenticator } from '../../auth/authentication/authenticator.js';
import { BearerAuthenticator, WebSocketAuthenticator } from '../../auth/authentication/bearer-authenticator.js';
import type { TokenUser } from '../../auth/authentication/static-tokens.js';
import { StaticTokens } from '../../auth/authentication/static-tokens.js';
import type { TokenAuthenticator } from '../../auth/authentication/token-authenticator.js';
import { parseTokenFile, TokenFileError } from '../../auth/authentication/token-file.js';
import { TokenUnion } from '../../auth/authentication/token-union.js';
import { TokenVerifier } from '../../auth/authentication/token-verifier.js';
import { UnionAuthenticator } from '../../auth/authentication/union-authenticator.js';
import { SYSTEM_MASTERS } from '../../auth/authentication/well-known-users.js';
import type { ServerConfig } from '../config/server-config.js';
import { StartError } from '../start-error.js';
import { readGivenFile } from './read-given-file.js';

/** Who gets in. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly tokens: TokenVerifier;
}

/** The audience of tokens that are meant for this server (`--api-audiences` of kube-apiserver, as it is by default). */
const API_AUDIENCES = ['https://kubernetes.default.svc'];

/** Every way in, in upstream's order (kubeapiserver/authenticator/config.go): what is decided here before what asks others. */
export function createAuthentication(config: ServerConfig, adminToken: string): Authentication {
  const tokens = new TokenUnion(tokenAuthenticators(config, adminToken));
  const authenticators = [new BearerAuthenticator(tokens, API_AUDIENCES), new WebSocketAuthenticator(tokens, API_AUDIENCES)];
  return {
    authenticator: new UnionAuthenticator({ authenticators, ...anonymous(config) }),
    tokens: new TokenVerifier(tokens, API_AUDIENCES),
  };
}

/** Every kind of token, in upstream's order: token file, service accounts, JWTs of other issuers, webhook. */
function tokenAuthenticators(config: ServerConfig, adminToken: string): TokenAuthenticator[] {
  return [staticTokens(config, adminToken)];
}

/** The generated admin and the users of the token file. */
function staticTokens(config: ServerConfig, adminToken: string): StaticTokens {
  const admin: TokenUser = { token: adminToken, user: { name: 'admin', uid: 'admin', groups: [SYSTEM_MASTERS], extra: {} } };
  return new StaticTokens([admin, ...fileUsers(config.tokenAuthFile)], API_AUDIENCES);
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
