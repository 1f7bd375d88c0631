import type { UnionOptions } from './union-authenticator.js';
import type { AuthSettings } from '../auth.settings.js';
import type { AnonymousConfig } from './authentication-configuration.js';
import { StartError } from '../../settings/start-error.js';

/**
 * Which requests without credentials are accepted, as in kube-apiserver. `fromFile` is the section of the AuthenticationConfiguration.
 * Throws a StartError if flags set the same thing.
 */
export function anonymousAccess(config: AuthSettings, fromFile?: AnonymousConfig): Pick<UnionOptions, 'anonymous' | 'anonymousPaths'> {
  const { anonymousAuth, anonymousAuthPaths } = config;
  if (fromFile && (!anonymousAuth || anonymousAuthPaths.length > 0)) {
    const flag = anonymousAuth ? '--anonymous-auth-paths' : '--anonymous-auth';
    throw new StartError(`${flag} cannot be combined with an --authentication-config that configures anonymous requests`);
  }
  // Paths or a file are an explicit choice, so AlwaysAllow does not prevent anonymous access.
  if (fromFile) return { anonymous: fromFile.enabled, ...only(fromFile.paths) };
  if (anonymousAuthPaths.length > 0) return { anonymous: anonymousAuth, ...only(anonymousAuthPaths) };
  // With AlwaysAllow everyone could do everything (kubeapiserver/options/authentication.go ApplyAuthorization).
  return { anonymous: anonymousAuth && !config.authorizationMode.includes('AlwaysAllow') };
}

function only(paths: readonly string[]): Pick<UnionOptions, 'anonymousPaths'> {
  return paths.length === 0 ? {} : { anonymousPaths: new Set(paths) };
}
