import type { Authenticator } from '../../auth/authentication/authenticator.js';
import { BearerAuthenticator, WebSocketAuthenticator } from '../../auth/authentication/bearer-authenticator.js';
import type { TokenUser } from '../../auth/authentication/static-tokens.js';
import { StaticTokens } from '../../auth/authentication/static-tokens.js';
import { parseTokenFile, TokenFileError } from '../../auth/authentication/token-file.js';
import { TokenUnion } from '../../auth/authentication/token-union.js';
import { TokenVerifier } from '../../auth/authentication/token-verifier.js';
import { UnionAuthenticator } from '../../auth/authentication/union-authenticator.js';
import { SYSTEM_MASTERS } from '../../auth/authentication/well-known-users.js';
import { systemClock } from '../../telemetry/clock.js';
import type { AccessConfig } from '../config/access-config.js';
import { StartError } from '../start-error.js';
import { anonymousAccess } from './anonymous-access.js';
import { certificateAuthenticators } from './certificate-authenticators.js';
import type { ClientAuthorities } from './client-authorities.js';
import { createJwtAuthentication } from './jwt-authentication.js';
import { readGivenFile } from './read-given-file.js';
import type { ServiceAccountTokens } from './service-account-tokens.js';
import { createServiceAccountTokens } from './service-account-tokens.js';
import { webhookTokens } from './webhooks.js';
import type { WatchedFiles } from './watched-files.js';

/** Who gets in. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly tokens: TokenVerifier;
  readonly serviceAccountTokens: ServiceAccountTokens;
  /** Whose certificates clients may show; empty: no certificate is of use. */
  readonly clientAuthorities: readonly ClientAuthorities[];
}

/** The generated secrets that let somebody in. */
export interface AccessSecrets {
  readonly adminToken: string;
  /** Signs tokens of service accounts, as PEM, unless another one is given. */
  readonly serviceAccountKey: string;
}

export interface AuthenticationSources {
  readonly config: AccessConfig;
  readonly secrets: AccessSecrets;
  /** Has those files looked at that are read anew when they change. */
  readonly files: Pick<WatchedFiles, 'watch'>;
}

/**
 * Every way in, in upstream's order (kubeapiserver/authenticator/config.go): proxies' headers, client certificates, tokens. StartError
 * when a file that is named in the configuration cannot be used.
 */
export function createAuthentication({ config, secrets, files }: AuthenticationSources): Authentication {
  const { authenticators, authorities } = certificateAuthenticators({ config, files, now: systemClock });
  const serviceAccountTokens = createServiceAccountTokens(config, secrets.serviceAccountKey, systemClock);
  const { audiences } = serviceAccountTokens;
  const jwts = createJwtAuthentication({ config, files, serviceAccountTokens, now: systemClock });
  const tokens = new TokenUnion([
    staticTokens({ config, adminToken: secrets.adminToken, files, audiences }),
    jwts.authenticator,
    ...webhookTokens(config, audiences, systemClock),
  ]);
  authenticators.push(new BearerAuthenticator(tokens, audiences), new WebSocketAuthenticator(tokens, audiences));
  return {
    authenticator: new UnionAuthenticator({ authenticators, ...anonymousAccess(config, jwts.anonymous) }),
    tokens: new TokenVerifier(tokens, audiences),
    serviceAccountTokens,
    clientAuthorities: authorities,
  };
}

interface StaticTokenSources extends Pick<AuthenticationSources, 'config' | 'files'> {
  readonly adminToken: string;
  readonly audiences: readonly string[];
}

/** The generated admin and the users of the token file. */
function staticTokens({ config, adminToken, files, audiences }: StaticTokenSources): StaticTokens {
  const admin: TokenUser = { token: adminToken, user: { name: 'admin', uid: 'admin', groups: [SYSTEM_MASTERS], extra: {} } };
  const all = (): TokenUser[] => [admin, ...fileUsers(config.tokenAuthFile)];
  files.watch([config.tokenAuthFile], () => tokens.replace(all()));
  const tokens = new StaticTokens(all(), audiences);
  return tokens;
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
