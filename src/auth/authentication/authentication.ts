import { readGivenFile } from '../../settings/given-files.js';
import { StartError } from '../../settings/start-error.js';
import type { WatchedFiles } from '../../settings/watched-files.js';
import type { Clock } from '../../telemetry/clock.js';
import { type AuthSettings, CLUSTER } from '../auth.settings.js';
import { WebhookReviewer, configuredWebhookClient } from '../webhook/webhook-client.js';
import { anonymousAccess } from './authentication-configuration.js';
import { type Authenticator, SYSTEM_MASTERS, UnionAuthenticator } from './authenticator.js';
import { BearerAuthenticator, TokenVerifier, WebSocketAuthenticator } from './bearer-authenticator.js';
import type { CredentialMetrics } from './credential-metrics.js';
import { createJwtAuthentication } from './oidc/jwt-authentication.js';
import type { OidcSignIn } from './oidc/oidc-sign-in.js';
import { RequestHeaderAuthenticator } from './request-header/request-header-authenticator.js';
import { type ServiceAccountTokens, createServiceAccountTokens } from './service-account/service-account-tokens.js';
import { type TokenUser, StaticTokens, TokenFileError, parseTokenFile } from './static-tokens.js';
import { TokenUnion, WebhookTokens } from './token-authenticator.js';
import { ClientAuthorities } from './x509/certificate-verifier.js';
import type { Certificate } from './x509/certificate.js';
import { X509Authenticator } from './x509/x509-authenticator.js';

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

interface CertificateSources {
  readonly config: AuthSettings;
  readonly files: Pick<WatchedFiles, 'watch'>;
  readonly now: () => number;
  /** Called for each request that a client's certificate authenticates. */
  readonly accepted: (certificate: Certificate) => void;
}

/** Authenticators that need a client certificate, in upstream's order, and the CAs of those certificates. */
function certificateAuthenticators(sources: CertificateSources): {
  readonly authenticators: Authenticator[];
  readonly authorities: readonly ClientAuthorities[];
} {
  const { config } = sources;
  const proxies = authoritiesOf('--requestheader-client-ca-file', config.requestheaderClientCaFile, sources);
  const clients = authoritiesOf('--client-ca-file', config.clientCaFile, sources);
  if (proxies && clients?.overlaps(proxies) && config.requestheaderAllowedNames.length === 0) {
    throw new StartError(
      '--requestheader-client-ca-file and --client-ca-file have an authority in common, so --requestheader-allowed-names must list the names in ' +
        'certificates of proxies',
    );
  }
  const authenticators: Authenticator[] = [];
  if (proxies) {
    authenticators.push(
      new RequestHeaderAuthenticator(proxies.verifier, {
        allowedNames: config.requestheaderAllowedNames,
        username: config.requestheaderUsernameHeaders,
        uid: config.requestheaderUidHeaders,
        group: config.requestheaderGroupHeaders,
        extraPrefix: config.requestheaderExtraHeadersPrefix,
      }),
    );
  }
  if (clients) authenticators.push(new X509Authenticator(clients.verifier, sources.accepted));
  return { authenticators, authorities: [proxies, clients].filter((each) => each !== undefined) };
}

function authoritiesOf(flag: string, file: string, sources: CertificateSources): ClientAuthorities | undefined {
  return file === '' ? undefined : new ClientAuthorities(flag, file, sources);
}
