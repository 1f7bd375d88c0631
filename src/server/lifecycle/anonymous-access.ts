import type { UnionOptions } from '../../auth/authentication/union-authenticator.js';
import type { AccessConfig } from '../config/access-config.js';
import type { AnonymousConfig } from '../config/authentication-configuration.js';
import { StartError } from '../start-error.js';

/**
 * Which requests without credentials are let in, as kube-apiserver does it. `fromFile`: what the AuthenticationConfiguration says.
 * StartError when flags say something else beside it.
 */
export function anonymousAccess(config: AccessConfig, fromFile?: AnonymousConfig): Pick<UnionOptions, 'anonymous' | 'anonymousPaths'> {
  const { anonymousAuth, anonymousAuthPaths } = config;
  if (fromFile && (!anonymousAuth || anonymousAuthPaths.length > 0)) {
    const flag = anonymousAuth ? '--anonymous-auth-paths' : '--anonymous-auth';
    throw new StartError(`${flag} cannot be given when the file of --authentication-config says what is open to anonymous requests`);
  }
  // Whoever names paths, or a file, knows what he opens, so AlwaysAllow is no obstacle.
  if (fromFile) return { anonymous: fromFile.enabled, ...only(fromFile.paths) };
  if (anonymousAuthPaths.length > 0) return { anonymous: anonymousAuth, ...only(anonymousAuthPaths) };
  // With AlwaysAllow everybody could do everything: kubeapiserver/options/authentication.go ApplyAuthorization.
  return { anonymous: anonymousAuth && !config.authorizationMode.includes('AlwaysAllow') };
}

function only(paths: readonly string[]): Pick<UnionOptions, 'anonymousPaths'> {
  return paths.length === 0 ? {} : { anonymousPaths: new Set(paths) };
}
