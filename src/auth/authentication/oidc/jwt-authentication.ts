import { JwtAuthenticator } from '../jwt/jwt-authenticator.js';
import type { JwtIssuer } from '../jwt/verified-jwt.js';
import { type CompiledJwtAuthenticator, compileJwtAuthenticators } from './compile-jwt-authenticators.js';
import type { JwtAuthenticatorConfig } from './jwt-authenticator-config.js';
import { OidcIssuer } from './oidc-issuer.js';
import { SIGNING_ALGORITHMS } from './signing-algorithms.js';
import { httpsDocuments } from './remote-document.js';
import { RemoteKeySet } from './remote-key-set.js';
import {
  type AnonymousConfig,
  type AuthenticationConfiguration,
  AuthenticationConfigurationError,
  parseAuthenticationConfiguration,
} from '../authentication-configuration.js';
import type { AuthSettings } from '../../auth.settings.js';
import { StartError } from '../../../settings/start-error.js';
import { oidcFlags } from './oidc-flags.js';
import { OidcSignIn } from './oidc-sign-in.js';
import { readGivenFile } from '../../../settings/read-given-file.js';
import type { ServiceAccountTokens } from '../service-account/service-account-tokens.js';
import type { WatchedFiles } from '../../../settings/watched-files.js';

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
