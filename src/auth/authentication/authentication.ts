import type { Authenticator } from './authenticator.js';
import { BearerAuthenticator, WebSocketAuthenticator } from './bearer-authenticator.js';
import { type TokenUser, StaticTokens } from './static-tokens.js';
import { parseTokenFile, TokenFileError } from './token-file.js';
import { TokenUnion } from './token-union.js';
import { TokenVerifier } from './token-verifier.js';
import { UnionAuthenticator } from './union-authenticator.js';
import { SYSTEM_MASTERS } from './well-known-users.js';
import type { Clock } from '../../telemetry/clock.js';
import { type AuthSettings, CLUSTER } from '../auth.settings.js';
import { StartError } from '../../settings/start-error.js';
import { anonymousAccess } from './anonymous-access.js';
import type { CredentialMetrics } from './credential-metrics.js';
import { certificateAuthenticators } from './certificate-authenticators.js';
import type { ClientAuthorities } from './x509/client-authorities.js';
import { createJwtAuthentication } from './oidc/jwt-authentication.js';
import type { OidcSignIn } from './oidc/oidc-sign-in.js';
import { readGivenFile } from '../../settings/read-given-file.js';
import { type ServiceAccountTokens, createServiceAccountTokens } from './service-account/service-account-tokens.js';
import type { WatchedFiles } from '../../settings/watched-files.js';
import { configuredWebhookClient } from '../webhook/configured-webhook-client.js';
import { WebhookReviewer } from '../webhook/webhook-reviewer.js';
import { WebhookTokens } from './webhook-tokens.js';

/** The configured authentication. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly tokens: TokenVerifier;
  readonly serviceAccountTokens: ServiceAccountTokens;
  /** CAs for client certificates; if empty, certificates are useless. */
  readonly clientAuthorities: readonly ClientAuthorities[];
  /** How the dashboard's users sign in at an issuer; absent unless that is configured. */
  readonly signIn?: OidcSignIn | undefined;
}

/** Generated secrets that grant access. The class is the injection token. */
export abstract class AccessSecrets {
  abstract readonly adminToken: string;
  /** PEM key that signs service account tokens, unless another key is configured. */
  abstract readonly serviceAccountKey: string;
}

export interface AuthenticationSources {
  readonly config: AuthSettings;
  readonly secrets: AccessSecrets;
  /** Watches the files that are reread when they change. */
  readonly files: Pick<WatchedFiles, 'watch'>;
  readonly now: Clock;
  /** Absent where the settings are only checked. */
  readonly metrics?: CredentialMetrics;
}

/**
 * All authenticators in upstream's order (kubeapiserver/authenticator/config.go): request headers of proxies, client certificates, tokens.
 * Throws a StartError if a file named in the configuration cannot be used.
 */
export function createAuthentication({ config, secrets, files, now, metrics }: AuthenticationSources): Authentication {
  const { authenticators, authorities } = certificateAuthenticators({
    config,
    files,
    now,
    accepted: ({ notAfter }) => metrics?.certificate(notAfter - now()),
  });
  const serviceAccountTokens = createServiceAccountTokens(config, secrets.serviceAccountKey, now, () => metrics?.token());
  const { audiences } = serviceAccountTokens;
  const jwts = createJwtAuthentication({ config, files, serviceAccountTokens, now });
  const tokens = new TokenUnion([
    staticTokens({ config, adminToken: secrets.adminToken, files, audiences }),
    jwts.authenticator,
    ...configuredWebhookTokens(config, audiences, now),
  ]);
  authenticators.push(new BearerAuthenticator(tokens, audiences), new WebSocketAuthenticator(tokens, audiences));
  const access = anonymousAccess(config, jwts.anonymous);
  return {
    authenticator: new UnionAuthenticator({ authenticators, ...access }),
    tokens: new TokenVerifier(tokens, audiences, access.anonymous && access.anonymousPaths === undefined),
    serviceAccountTokens,
    clientAuthorities: authorities,
    signIn: jwts.signIn,
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

/** The webhook that verifies unknown tokens; empty if none is configured. Throws a StartError if its kubeconfig cannot be used. */
function configuredWebhookTokens(settings: AuthSettings, audiences: readonly string[], now: () => number): WebhookTokens[] {
  const file = settings.authenticationTokenWebhookConfigFile;
  if (file === '') return [];
  // kube-apiserver has no other version.
  const version = file === CLUSTER ? 'v1' : settings.authenticationTokenWebhookVersion;
  const cluster = { kubeconfig: settings.clusterKubeconfig, path: '/apis/authentication.k8s.io/v1/tokenreviews' };
  const reviewer = new WebhookReviewer({
    client: configuredWebhookClient('--authentication-token-webhook-config-file', file, cluster),
    apiVersion: `authentication.k8s.io/${version}`,
    kind: 'TokenReview',
  });
  return [new WebhookTokens({ reviewer, audiences, cacheTtlMs: settings.authenticationTokenWebhookCacheTtl, now })];
}
