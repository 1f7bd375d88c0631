import { ArrayNotEmpty, ArrayUnique, IsIn, Matches, Max, Min, ValidateIf } from 'class-validator';
import { Setting } from '../settings/setting.js';
import { SIGNING_ALGORITHMS } from './authentication/oidc/oidc-issuer.js';

const AUTHORIZATION_MODES = ['AlwaysAllow', 'Node', 'RBAC', 'Webhook'] as const;

export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

const WEBHOOK_VERSIONS = ['v1', 'v1beta1'] as const;

/** Versions of the review objects sent to webhooks. */
export type WebhookVersion = (typeof WEBHOOK_VERSIONS)[number];

const WEBHOOK_VERSION = `must be one of ${WEBHOOK_VERSIONS.join(', ')}`;
const NO_HEADER = { each: true, message: 'must be names of headers' };
const HEADER_NAME = /^\s*[!#$%&'*+\-.^_`|~0-9A-Za-z]+\s*$/;

/** Settings of authentication and authorization. */
export class AuthSettings {
  @Setting({
    kind: 'text',
    help: 'Certificate authorities, as PEM: client certificates they have signed are accepted, CN as the user and each O as a group. Read anew when it changes.',
    placeholder: 'file',
  })
  clientCaFile = '';

  @Setting({
    kind: 'text',
    help: 'Certificate authorities, as PEM, of proxies that name the user of a request in headers. Read anew when it changes.',
    placeholder: 'file',
  })
  requestheaderClientCaFile = '';

  @Setting({
    kind: 'list',
    help: "Common names that the proxies' certificates may have; empty allows any.",
    placeholder: 'names',
  })
  @Matches(/\S/, { each: true, message: 'must not be blank' })
  requestheaderAllowedNames: string[] = [];

  @Setting({ kind: 'list', help: 'Headers with the name of the user; the first with a value counts.', placeholder: 'headers' })
  @Matches(HEADER_NAME, NO_HEADER)
  requestheaderUsernameHeaders: string[] = ['X-Remote-User'];

  @Setting({ kind: 'list', help: 'Headers with the uid of the user; the first with a value counts.', placeholder: 'headers' })
  @Matches(HEADER_NAME, NO_HEADER)
  requestheaderUidHeaders: string[] = ['X-Remote-Uid'];

  @Setting({ kind: 'list', help: 'Headers with the groups of the user, one group in each.', placeholder: 'headers' })
  @Matches(HEADER_NAME, NO_HEADER)
  requestheaderGroupHeaders: string[] = ['X-Remote-Group'];

  @Setting({ kind: 'list', help: 'Prefixes of headers with extra user attributes.', placeholder: 'prefixes' })
  @Matches(HEADER_NAME, NO_HEADER)
  requestheaderExtraHeadersPrefix: string[] = ['X-Remote-Extra-'];

  @Setting({
    kind: 'text',
    help: 'A CSV file of bearer tokens: token,user,uid,"group1,group2". Read anew when it changes.',
    placeholder: 'file',
  })
  tokenAuthFile = '';

  @Setting({
    kind: 'list',
    help: "The issuer of service accounts' tokens; of several, new tokens name the first, and those of all are accepted.",
    placeholder: 'urls',
  })
  @ArrayNotEmpty({ message: 'must not be empty' })
  @Matches(/^(?!.*:)|^https?:\/\/\S+$|^[a-z][a-z0-9+.-]*:\S+$/, { each: true, message: 'must be URLs, or names without a colon' })
  serviceAccountIssuer: string[] = ['https://kubernetes.default.svc'];

  @Setting({
    kind: 'text',
    help: "The private key that service accounts' tokens are signed with, as PEM: RSA or EC; servers on one database generate and share one when it is not given.",
    placeholder: 'file',
  })
  serviceAccountSigningKeyFile = '';

  @Setting({
    kind: 'list',
    help: "Files of further keys, as PEM, with which service accounts' tokens are verified.",
    placeholder: 'files',
  })
  serviceAccountKeyFile: string[] = [];

  @Setting({
    kind: 'duration',
    help: "The longest that a service account's token may live, at least 1h; requests for longer ones are shortened. 0 sets no limit.",
  })
  @ValidateIf(({ serviceAccountMaxTokenExpiration }: AuthSettings) => serviceAccountMaxTokenExpiration !== 0)
  @Min(3_600_000, { message: 'must be 0, or between 1 hour and 2^32 seconds' })
  @Max(2 ** 32 * 1000, { message: 'must be 0, or between 1 hour and 2^32 seconds' })
  serviceAccountMaxTokenExpiration = 0;

  @Setting({
    kind: 'text',
    help: "Where others find the keys that service accounts' tokens are verified with (default: /openid/v1/jwks of this server).",
    placeholder: 'url',
  })
  // eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
  @Matches(/^(https:\/\/\S+)?$/, { message: 'must be an https URL' })
  serviceAccountJwksUri = '';

  @Setting({
    kind: 'list',
    help: "The names of this server in the audiences of tokens (default: the issuers of service accounts' tokens).",
    placeholder: 'names',
  })
  apiAudiences: string[] = [];

  @Setting({
    kind: 'text',
    help: 'A kubeconfig for the token webhook, which is asked about tokens that this server does not know, with TokenReviews.',
    placeholder: 'file',
  })
  authenticationTokenWebhookConfigFile = '';

  @Setting({
    kind: 'text',
    help: `The version of TokenReviews for the token webhook: ${WEBHOOK_VERSIONS.join(', ')}.`,
    placeholder: 'version',
  })
  @IsIn(WEBHOOK_VERSIONS, { message: WEBHOOK_VERSION })
  authenticationTokenWebhookVersion: WebhookVersion = 'v1beta1';

  @Setting({ kind: 'duration', help: "How long the token webhook's answers are cached." })
  authenticationTokenWebhookCacheTtl = 120_000;

  @Setting({
    kind: 'text',
    help: 'An AuthenticationConfiguration of apiserver.config.k8s.io/v1, as YAML or JSON: issuers of JWTs, and which paths are open to anonymous requests. Read anew when it changes.',
    placeholder: 'file',
  })
  authenticationConfig = '';

  @Setting({ kind: 'text', help: 'The issuer of OpenID Connect tokens, with the https scheme.', placeholder: 'url' })
  oidcIssuerUrl = '';

  @Setting({ kind: 'text', help: 'Whom these tokens are issued for: this must be among their audiences.', placeholder: 'id' })
  oidcClientId = '';

  @Setting({ kind: 'text', help: "The claim that is the user's name.", placeholder: 'claim' })
  oidcUsernameClaim = 'sub';

  @Setting({
    kind: 'text',
    help: "What is put before users' names; - for nothing (default: the issuer and a #, and nothing before mail addresses).",
    placeholder: 'prefix',
  })
  oidcUsernamePrefix = '';

  @Setting({ kind: 'text', help: "The claim that holds the user's groups.", placeholder: 'claim' })
  oidcGroupsClaim = '';

  @Setting({ kind: 'text', help: "What is put before groups' names.", placeholder: 'prefix' })
  oidcGroupsPrefix = '';

  @Setting({ kind: 'list', help: 'Claims that a token must have, as claim=value.', placeholder: 'claims' })
  @Matches(/^[^=]+=/, { each: true, message: 'must be claim=value' })
  oidcRequiredClaim: string[] = [];

  @Setting({ kind: 'list', help: `With what tokens may be signed, of: ${SIGNING_ALGORITHMS.join(', ')}.`, placeholder: 'algorithms' })
  @IsIn(SIGNING_ALGORITHMS, { each: true, message: `must be of: ${SIGNING_ALGORITHMS.join(', ')}` })
  oidcSigningAlgs: string[] = ['RS256'];

  @Setting({
    kind: 'text',
    help: "Authorities, as PEM, of the issuer's serving certificate (default: those that the system knows).",
    placeholder: 'file',
  })
  oidcCaFile = '';

  @Setting({
    kind: 'boolean',
    help: 'Lets requests without credentials in as system:anonymous; ignored with AlwaysAllow.',
    placeholder: 'bool',
  })
  anonymousAuth = true;

  @Setting({
    kind: 'list',
    help: 'The only paths at which requests without credentials are let in, with AlwaysAllow too; empty: all.',
    placeholder: 'paths',
  })
  @Matches(/^\//, { each: true, message: 'must begin with /' })
  anonymousAuthPaths: string[] = [];

  @Setting({
    kind: 'list',
    help: `How requests are authorized, asked in this order: ${AUTHORIZATION_MODES.join(', ')}.`,
    placeholder: 'modes',
  })
  @ArrayNotEmpty({ message: 'must not be empty' })
  @ArrayUnique({ message: 'must name each mode once' })
  @IsIn(AUTHORIZATION_MODES, { each: true, message: `must be of: ${AUTHORIZATION_MODES.join(', ')}` })
  authorizationMode: AuthorizationMode[] = ['AlwaysAllow'];

  @Setting({
    kind: 'text',
    help: 'A kubeconfig for the authorization webhook, which decides in the mode Webhook and is asked with SubjectAccessReviews.',
    placeholder: 'file',
  })
  authorizationWebhookConfigFile = '';

  @Setting({
    kind: 'text',
    help: `The version of SubjectAccessReviews for the authorization webhook: ${WEBHOOK_VERSIONS.join(', ')}.`,
    placeholder: 'version',
  })
  @IsIn(WEBHOOK_VERSIONS, { message: WEBHOOK_VERSION })
  authorizationWebhookVersion: WebhookVersion = 'v1beta1';

  @Setting({ kind: 'duration', help: "How long the authorization webhook's permissions are cached." })
  authorizationWebhookCacheAuthorizedTtl = 300_000;

  @Setting({ kind: 'duration', help: "How long the authorization webhook's refusals are cached." })
  authorizationWebhookCacheUnauthorizedTtl = 30_000;

  static conflict({ authorizationMode, authorizationWebhookConfigFile }: AuthSettings): string | undefined {
    if (authorizationMode.includes('Webhook') === (authorizationWebhookConfigFile !== '')) return undefined;
    return '--authorization-mode=Webhook and --authorization-webhook-config-file must be given together';
  }
}
