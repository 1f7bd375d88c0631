import { ArrayNotEmpty, ArrayUnique, ValidateIf } from 'class-validator';
import { Setting } from '../settings/setting.js';
import { SIGNING_ALGORITHMS } from './authentication/oidc/jwt-authenticator-config.js';

const AUTHORIZATION_MODES = ['AlwaysAllow', 'FrontProxy', 'Node', 'RBAC', 'Webhook'] as const;

export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

const WEBHOOK_VERSIONS = ['v1', 'v1beta1'] as const;

/** Versions of the review objects sent to webhooks. */
export type WebhookVersion = (typeof WEBHOOK_VERSIONS)[number];

/** The value of a webhook's kubeconfig that stands for `--cluster-kubeconfig`. */
export const CLUSTER = 'cluster';

const HEADERS = {
  kind: 'list',
  placeholder: 'headers',
  pattern: /^\s*[!#$%&'*+\-.^_`|~0-9A-Za-z]+\s*$/,
  message: 'must be names of headers',
} as const;

/** Settings of authentication and authorization. */
export class AuthSettings {
  static readonly group = 'Authentication';

  @Setting({
    kind: 'text',
    help: 'Kubeconfig of the cluster behind whose kube-apiserver this server serves leases, or in-cluster for the account of the pod. Front proxies and namespaces are then those of the cluster.',
  })
  clusterKubeconfig = '';

  @Setting({
    kind: 'text',
    help: 'PEM file with the authorities of client certificates, whose CN is the user name and whose Os are groups. Reloaded when it changes.',
  })
  clientCaFile = '';

  @Setting({
    kind: 'text',
    help: "PEM file with the authorities of proxies that name a request's user in headers. Reloaded when it changes.",
  })
  requestheaderClientCaFile = '';

  @Setting({
    kind: 'list',
    help: 'Common names that are accepted in the certificates of proxies; empty accepts any.',
    mayBeEmpty: true,
    pattern: /\S/,
    message: 'must not be blank',
  })
  requestheaderAllowedNames: string[] = [];

  @Setting({ ...HEADERS, help: "Headers with the user's name; the first that has a value is used." })
  requestheaderUsernameHeaders: string[] = ['X-Remote-User'];

  @Setting({
    ...HEADERS,
    help: "Headers with the user's UID, X-Remote-Uid among them; the first that has a value is used. Empty ignores UIDs.",
    mayBeEmpty: true,
  })
  requestheaderUidHeaders: string[] = [];

  @Setting({ ...HEADERS, help: "Headers with the user's groups, one group per header." })
  requestheaderGroupHeaders: string[] = ['X-Remote-Group'];

  @Setting({ ...HEADERS, help: 'Prefixes of headers with extra user attributes.', placeholder: 'prefixes' })
  requestheaderExtraHeadersPrefix: string[] = ['X-Remote-Extra-'];

  @Setting({ kind: 'text', help: 'CSV file of bearer tokens: token,user,uid,"group1,group2". Reloaded when it changes.' })
  tokenAuthFile = '';

  @Setting({
    kind: 'list',
    help: 'Issuers of service account tokens; new tokens name the first, and tokens of each are accepted.',
    placeholder: 'urls',
    pattern: /^(?!.*:)|^https?:\/\/\S+$|^[a-z][a-z0-9+.-]*:\S+$/,
    message: 'must be URLs, or names without a colon',
  })
  @ArrayNotEmpty({ message: 'must not be empty' })
  serviceAccountIssuer: string[] = ['https://kubernetes.default.svc'];

  @Setting({
    kind: 'text',
    help: 'PEM file with the private key (RSA or EC) that signs service account tokens (default: one that servers on one database generate and share).',
  })
  serviceAccountSigningKeyFile = '';

  @Setting({ kind: 'list', help: 'PEM files with additional keys to verify service account tokens.', placeholder: 'files' })
  serviceAccountKeyFile: string[] = [];

  @Setting({
    kind: 'duration',
    help: 'Longest lifetime of service account tokens, at least 1h; requests for longer ones are shortened. 0 sets no limit.',
    min: 3_600_000,
    max: 2 ** 32 * 1000,
    message: 'must be 0, or between 1 hour and 2^32 seconds',
  })
  @ValidateIf(({ serviceAccountMaxTokenExpiration }: AuthSettings) => serviceAccountMaxTokenExpiration !== 0)
  serviceAccountMaxTokenExpiration = 0;

  @Setting({
    kind: 'text',
    help: 'URL at which others find the keys to verify service account tokens (default: /openid/v1/jwks of this server).',
    placeholder: 'url',
    // eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
    pattern: /^(https:\/\/\S+)?$/,
    message: 'must be an https URL',
  })
  serviceAccountJwksUri = '';

  @Setting({ kind: 'list', help: 'Identifiers of this server in the audiences of tokens (default: the service account issuers).' })
  apiAudiences: string[] = [];

  @Setting({
    kind: 'text',
    help: 'Kubeconfig of the token webhook, which receives a TokenReview for each token that this server does not know; cluster names the one of --cluster-kubeconfig.',
  })
  authenticationTokenWebhookConfigFile = '';

  @Setting({
    kind: 'text',
    help: `Version of the TokenReviews sent to the token webhook: ${WEBHOOK_VERSIONS.join(', ')}.`,
    placeholder: 'version',
    values: WEBHOOK_VERSIONS,
  })
  authenticationTokenWebhookVersion: WebhookVersion = 'v1beta1';

  @Setting({ kind: 'duration', help: "How long the token webhook's answers are cached." })
  authenticationTokenWebhookCacheTtl = 120_000;

  @Setting({
    kind: 'text',
    help: 'An apiserver.config.k8s.io/v1 AuthenticationConfiguration, in YAML or JSON: JWT issuers, and the paths open to anonymous requests. Reloaded when it changes.',
  })
  authenticationConfig = '';

  @Setting({ kind: 'text', help: 'Issuer of OpenID Connect tokens, as an https URL.', placeholder: 'url' })
  oidcIssuerUrl = '';

  @Setting({ kind: 'text', help: 'Client ID that must be among the audiences of OpenID Connect tokens.', placeholder: 'id' })
  oidcClientId = '';

  @Setting({ kind: 'text', help: "Claim that contains the user's name.", placeholder: 'claim' })
  oidcUsernameClaim = 'sub';

  @Setting({
    kind: 'text',
    help: 'Prefix for user names; - means none (default: the issuer URL and #, but none for the claim email).',
    placeholder: 'prefix',
  })
  oidcUsernamePrefix = '';

  @Setting({ kind: 'text', help: "Claim that contains the user's groups.", placeholder: 'claim' })
  oidcGroupsClaim = '';

  @Setting({ kind: 'text', help: 'Prefix for the names of groups; empty means none.', placeholder: 'prefix', mayBeEmpty: true })
  oidcGroupsPrefix = '';

  @Setting({
    kind: 'list',
    help: 'Claims that tokens must have, as claim=value.',
    placeholder: 'claims',
    pattern: /^[^=]+=/,
    message: 'must be claim=value',
  })
  oidcRequiredClaim: string[] = [];

  @Setting({
    kind: 'list',
    help: `Accepted signature algorithms, of: ${SIGNING_ALGORITHMS.join(', ')}.`,
    placeholder: 'algorithms',
    values: SIGNING_ALGORITHMS,
  })
  oidcSigningAlgs: string[] = ['RS256'];

  @Setting({ kind: 'text', help: "PEM file with the authorities of the issuer's serving certificate (default: the system's authorities)." })
  oidcCaFile = '';

  @Setting({
    kind: 'text',
    help: 'Client ID of the dashboard at the JWT issuer that has it among its audiences; users may then sign in there. It is a public client: it has no secret.',
    placeholder: 'id',
  })
  uiOidcClientId = '';

  @Setting({
    kind: 'list',
    help: 'Scopes that the dashboard requests in addition to openid.',
    placeholder: 'scopes',
    pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/,
    message: 'must be OAuth 2.0 scopes',
  })
  uiOidcScopes: string[] = [];

  @Setting({ kind: 'boolean', help: 'Accepts requests without credentials as system:anonymous; ignored with AlwaysAllow.' })
  anonymousAuth = true;

  @Setting({
    kind: 'list',
    help: 'Restricts anonymous requests to these paths, even with AlwaysAllow (default: all paths).',
    placeholder: 'paths',
    pattern: /^\//,
    message: 'must begin with /',
  })
  anonymousAuthPaths: string[] = [];

  @Setting({
    kind: 'list',
    group: 'Authorization and admission',
    help: `Authorizers, in the order in which they are asked, of: ${AUTHORIZATION_MODES.join(', ')}.`,
    placeholder: 'modes',
    values: AUTHORIZATION_MODES,
  })
  @ArrayNotEmpty({ message: 'must not be empty' })
  @ArrayUnique({ message: 'must name each mode once' })
  authorizationMode: AuthorizationMode[] = ['AlwaysAllow'];

  @Setting({
    kind: 'text',
    group: 'Authorization and admission',
    help: 'Kubeconfig of the authorization webhook, which receives SubjectAccessReviews in Webhook mode; cluster names the one of --cluster-kubeconfig.',
  })
  authorizationWebhookConfigFile = '';

  @Setting({
    kind: 'text',
    group: 'Authorization and admission',
    help: `Version of the SubjectAccessReviews sent to the authorization webhook: ${WEBHOOK_VERSIONS.join(', ')}.`,
    placeholder: 'version',
    values: WEBHOOK_VERSIONS,
  })
  authorizationWebhookVersion: WebhookVersion = 'v1beta1';

  @Setting({ kind: 'duration', group: 'Authorization and admission', help: "How long the authorization webhook's approvals are cached." })
  authorizationWebhookCacheAuthorizedTtl = 300_000;

  @Setting({ kind: 'duration', group: 'Authorization and admission', help: "How long the authorization webhook's denials are cached." })
  authorizationWebhookCacheUnauthorizedTtl = 30_000;

  static conflict(settings: AuthSettings): string | undefined {
    const { authorizationMode, authorizationWebhookConfigFile, clusterKubeconfig, requestheaderClientCaFile } = settings;
    if (settings.uiOidcScopes.length > 0 && settings.uiOidcClientId === '') return '--ui-oidc-scopes needs --ui-oidc-client-id';
    if (clusterKubeconfig === '' && [authorizationWebhookConfigFile, settings.authenticationTokenWebhookConfigFile].includes(CLUSTER)) {
      return 'a webhook of the cluster needs --cluster-kubeconfig';
    }
    const { requestheaderUidHeaders: uidHeaders } = settings;
    if (uidHeaders.length > 0 && !uidHeaders.some((each) => each.toLowerCase() === 'x-remote-uid')) {
      return '--requestheader-uid-headers must include X-Remote-Uid';
    }
    if (authorizationMode.includes('FrontProxy') && clusterKubeconfig === '' && requestheaderClientCaFile === '') {
      return '--authorization-mode=FrontProxy needs --requestheader-client-ca-file or --cluster-kubeconfig';
    }
    if (authorizationMode.includes('Webhook') === (authorizationWebhookConfigFile !== '')) return undefined;
    return '--authorization-mode=Webhook and --authorization-webhook-config-file must be given together';
  }
}
