import { type FieldError, duplicate, tooMany } from '../../../apimachinery/errors/field-error.js';
import { readGivenFile } from '../../../settings/given-files.js';
import { StartError } from '../../../settings/start-error.js';
import type { WatchedFiles } from '../../../settings/watched-files.js';
import type { AuthSettings } from '../../auth.settings.js';
import {
  type AnonymousConfig,
  type AuthenticationConfiguration,
  AuthenticationConfigurationError,
  parseAuthenticationConfiguration,
} from '../authentication-configuration.js';
import { type JwtIssuer, JwtAuthenticator } from '../jwt/jwt-authenticator.js';
import type { ServiceAccountTokens } from '../service-account/service-account-tokens.js';
import { compileRules } from './cel-program.js';
import { ClaimMapper } from './claim-mapper.js';
import { type JwtAuthenticatorConfig, SIGNING_ALGORITHMS } from './jwt-authenticator-config.js';
import { OidcIssuer } from './oidc-issuer.js';
import { OidcSignIn } from './oidc-sign-in.js';
import { RemoteKeySet, httpsDocuments } from './remote-key-set.js';
import { validateJwtAuthenticator, validateUseOfEmail } from './validate-jwt-authenticator.js';

export interface JwtAuthenticationSources {
  readonly config: AuthSettings;
  readonly files: Pick<WatchedFiles, 'watch'>;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly now: () => number;
}

/** The authenticator of JWTs of all issuers, and the anonymous requests configured in the same file. */
export interface JwtAuthentication {
  readonly authenticator: JwtAuthenticator;
  /** How the dashboard's users sign in at one of the issuers, if that is configured. */
  readonly signIn?: OidcSignIn | undefined;
  readonly anonymous?: AnonymousConfig;
}

const FLAG = '--authentication-config';
/** Google's tokens may name their issuer without the URL scheme. */
const GOOGLE = 'https://accounts.google.com';

/** Throws a StartError with a one-line message if the configuration cannot be used. */
export function createJwtAuthentication(sources: JwtAuthenticationSources): JwtAuthentication {
  const { config, files, serviceAccountTokens, now } = sources;
  const { issuers: own, verifier, audiences: apiAudiences } = serviceAccountTokens;
  const issuers = new OidcIssuers(now, apiAudiences, own);
  const { uiOidcClientId: clientId, uiOidcScopes: scopes } = config;
  const signIn = clientId === '' ? undefined : new OidcSignIn({ clientId, scopes });
  const all = (configs: readonly JwtAuthenticatorConfig[], algorithms: readonly string[]): Map<string, JwtIssuer> => {
    const external = issuers.create(configs, algorithms);
    signIn?.choose(configs, external);
    return new Map([...external, ...own.map((issuer): [string, JwtIssuer] => [issuer, verifier])]);
  };

  const flags = oidcFlags(config);
  if (config.authenticationConfig === '') return { authenticator: new JwtAuthenticator(all(flags, config.oidcSigningAlgs), now), signIn };
  if (flags.length > 0) throw new StartError(`${FLAG} and --oidc-issuer-url cannot be combined`);

  const read = (): AuthenticationConfiguration => readConfiguration(config.authenticationConfig);
  files.watch([config.authenticationConfig], () => authenticator.replace(all(read().jwt, SIGNING_ALGORITHMS)));
  const { jwt, anonymous } = read();
  const authenticator = new JwtAuthenticator(all(jwt, SIGNING_ALGORITHMS), now);
  return { authenticator, signIn, ...(anonymous && { anonymous }) };
}

function readConfiguration(file: string): AuthenticationConfiguration {
  try {
    return parseAuthenticationConfiguration(readGivenFile(FLAG, file));
  } catch (error) {
    if (error instanceof AuthenticationConfigurationError) throw new StartError(`cannot use ${FLAG} ${file}: ${error.message}`);
    throw error;
  }
}

/** Creates issuers from configurations; an issuer whose configuration is unchanged is kept, with its cached keys. */
class OidcIssuers {
  readonly #now: () => number;
  readonly #apiAudiences: readonly string[];
  readonly #taken: readonly string[];
  #known = new Map<string, OidcIssuer>();

  constructor(now: () => number, apiAudiences: readonly string[], taken: readonly string[]) {
    this.#now = now;
    this.#apiAudiences = apiAudiences;
    this.#taken = taken;
  }

  create(configs: readonly JwtAuthenticatorConfig[], algorithms: readonly string[]): Map<string, OidcIssuer> {
    const { errors, compiled } = compileJwtAuthenticators(configs, this.#taken);
    if (errors.length > 0) {
      const texts = errors.map(({ field, body }) => `${field}: ${body}`);
      throw new StartError(`the configuration of JWT issuers is invalid: ${texts.join(', ').replace(/\s*\n\s*/g, ' ')}`);
    }
    const known = new Map<string, OidcIssuer>();
    const issuers = new Map<string, OidcIssuer>();
    for (const each of compiled) {
      const identity = JSON.stringify(each.config);
      const issuer = this.#known.get(identity) ?? this.#create(each, algorithms);
      known.set(identity, issuer);
      issuers.set(each.config.issuer.url, issuer);
      if (each.config.issuer.url === GOOGLE) issuers.set(new URL(GOOGLE).host, issuer);
    }
    this.#known = known;
    return issuers;
  }

  #create({ config: { issuer }, mapper }: CompiledJwtAuthenticator, algorithms: readonly string[]): OidcIssuer {
    const { url, discoveryURL: discoveryUrl = '', certificateAuthority = '', audiences = [] } = issuer;
    const [now, apiAudiences] = [this.#now, this.#apiAudiences];
    const keys = new RemoteKeySet({ issuer: url, discoveryUrl, get: httpsDocuments(certificateAuthority), now });
    const created = new OidcIssuer({ keys, mapper, audiences, algorithms, apiAudiences, now });
    // Only prefetches: if keys are missing later, the verification of a token reports the error.
    created.warmUp().catch(() => undefined);
    return created;
  }
}

const MOST = 64;

/** A validated configuration of an issuer. */
interface CompiledJwtAuthenticator {
  readonly config: JwtAuthenticatorConfig;
  readonly mapper: ClaimMapper;
}

/**
 * Validates and compiles configurations of issuers (apiserver pkg/apis/apiserver/validation). `taken`: issuers that are handled otherwise.
 * If `errors` is not empty the configurations must not be used.
 */
export function compileJwtAuthenticators(
  configs: readonly JwtAuthenticatorConfig[],
  taken: readonly string[],
): { readonly errors: readonly FieldError[]; readonly compiled: readonly CompiledJwtAuthenticator[] } {
  if (configs.length > MOST) return { errors: [tooMany('jwt', configs.length, MOST)], compiled: [] };
  const errors: FieldError[] = [];
  const compiled = configs.map((config, index) => {
    const at = `jwt[${index}]`;
    errors.push(...validateJwtAuthenticator(config, at, taken));
    const rules = compileRules(config, at, errors);
    errors.push(...validateUseOfEmail(config, rules, at), ...repeated(config, configs.slice(0, index), at));
    return { config, mapper: new ClaimMapper(config, rules) };
  });
  return { errors, compiled };
}

function repeated({ issuer }: JwtAuthenticatorConfig, before: readonly JwtAuthenticatorConfig[], at: string): FieldError[] {
  const { url, discoveryURL } = issuer;
  return [
    ...(before.some((other) => other.issuer.url === url) ? [duplicate(`${at}.issuer.url`, url)] : []),
    ...(discoveryURL && before.some((other) => other.issuer.discoveryURL === discoveryURL)
      ? [duplicate(`${at}.issuer.discoveryURL`, discoveryURL)]
      : []),
  ];
}

/** Converts the `--oidc-` flags to the configuration that a file would contain (kubeapiserver/options/authentication.go). */
export function oidcFlags(config: AuthSettings): JwtAuthenticatorConfig[] {
  const { oidcIssuerUrl: url, oidcClientId: clientId } = config;
  if ((url === '') !== (clientId === '') || (url === '' && isAnyGiven(config))) {
    throw new StartError('--oidc-issuer-url and --oidc-client-id must be given together when any --oidc- flag is given');
  }
  if (url === '') return [];
  const { oidcUsernameClaim: claim, oidcGroupsClaim: groups, oidcGroupsPrefix, oidcRequiredClaim, oidcCaFile } = config;
  return [
    {
      issuer: {
        url,
        audiences: [clientId],
        ...(oidcCaFile === '' ? {} : { certificateAuthority: readGivenFile('--oidc-ca-file', oidcCaFile) }),
      },
      claimMappings: {
        username: { claim, prefix: usernamePrefix(config) },
        ...(groups === '' ? {} : { groups: { claim: groups, prefix: oidcGroupsPrefix } }),
      },
      claimValidationRules: oidcRequiredClaim.map((text) => {
        const at = text.indexOf('=');
        return { claim: text.slice(0, at), requiredValue: text.slice(at + 1) };
      }),
    },
  ];
}

function isAnyGiven({ oidcUsernamePrefix, oidcGroupsClaim, oidcGroupsPrefix, oidcRequiredClaim, oidcCaFile }: AuthSettings): boolean {
  return [oidcUsernamePrefix, oidcGroupsClaim, oidcGroupsPrefix, oidcCaFile].some((text) => text !== '') || oidcRequiredClaim.length > 0;
}

/** User names of different issuers cannot collide unless the prefix is disabled explicitly. */
function usernamePrefix({ oidcUsernamePrefix: prefix, oidcUsernameClaim: claim, oidcIssuerUrl }: AuthSettings): string {
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${oidcIssuerUrl}#` : prefix;
}
