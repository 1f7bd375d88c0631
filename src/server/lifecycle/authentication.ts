import { parseTokenFile, TokenFileError } from '../../auth/authentication/token-file.js';
import { TokenAuthenticator } from '../../auth/authentication/token-authenticator.js';
import type { TokenUser } from '../../auth/authentication/token-authenticator.js';
import { UnionAuthenticator } from '../../auth/authentication/union-authenticator.js';
import { SYSTEM_MASTERS } from '../../auth/authentication/well-known-users.js';
import type { Authenticator } from '../../auth/authentication/authenticator.js';
import type { ServerConfig } from '../config/server-config.js';
import { StartError } from '../start-error.js';
import { readGivenFile } from './read-given-file.js';

/** The generated admin and the users of the token file. */
export function createTokenAuthenticator(config: ServerConfig, adminToken: string): Authenticator {
  const admin: TokenUser = { token: adminToken, user: { name: 'admin', uid: 'admin', groups: [SYSTEM_MASTERS], extra: {} } };
  return new TokenAuthenticator([admin, ...fileUsers(config.tokenAuthFile)]);
}

/** Lets requests without credentials in as kube-apiserver does. */
export function withAnonymous(config: ServerConfig, authenticator: Authenticator): Authenticator {
  if (config.anonymousAuthPaths.length > 0) {
    // What upstream's AuthenticationConfiguration says in `anonymous.conditions`: it knows what it opens, so AlwaysAllow is no obstacle.
    const anonymousPaths = new Set(config.anonymousAuthPaths);
    return new UnionAuthenticator({ authenticators: [authenticator], anonymous: config.anonymousAuth, anonymousPaths });
  }
  return new UnionAuthenticator({
    authenticators: [authenticator],
    // With AlwaysAllow everybody could do everything: kubeapiserver/options/authentication.go ApplyAuthorization.
    anonymous: config.anonymousAuth && !config.authorizationMode.includes('AlwaysAllow'),
  });
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
