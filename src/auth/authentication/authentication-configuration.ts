import { parse as parseYaml } from 'yaml';
import { kindRegistry } from '../../apimachinery/codec/serializer/serializer.js';
import { YamlSerializer } from '../../apimachinery/codec/yaml/yaml-serializer.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { type Field, bool, field, list, string, struct, typeMetaFields } from '../../apimachinery/schema/struct-type.js';
import { StartError } from '../../settings/start-error.js';
import type { AuthSettings } from '../auth.settings.js';
import type { UnionOptions } from './authenticator.js';
import type { ExtraMapping, JwtAuthenticatorConfig } from './oidc/jwt-authenticator-config.js';

/** Which anonymous requests are accepted. */
export interface AnonymousConfig {
  readonly enabled: boolean;
  /** The only accepted paths; empty means all. */
  readonly paths: readonly string[];
}

/** apiserver.config.k8s.io AuthenticationConfiguration. */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticatorConfig[];
  readonly anonymous?: AnonymousConfig;
}

/** An unusable configuration; the message gives the reason in one line. */
export class AuthenticationConfigurationError extends Error {}

const GROUP = 'apiserver.config.k8s.io';
const KIND = 'AuthenticationConfiguration';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'];
const KINDS = kindRegistry(Object.fromEntries(VERSIONS.map((version) => [`${GROUP}/${version}`, [KIND]])));
const yaml = new YamlSerializer();

/** Parses the configuration strictly, without validating it. Throws AuthenticationConfigurationError. */
export function parseAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  const { jwt = [], anonymous } = decode(text);
  if (anonymous?.enabled !== true && (anonymous?.conditions?.length ?? 0) > 0) {
    throw new AuthenticationConfigurationError('anonymous.conditions: enabled should be set to true when conditions are defined');
  }
  return {
    jwt: jwt.map(({ issuer, claimMappings, ...rest }) => ({
      ...rest,
      issuer: { url: '', ...issuer },
      claimMappings: {
        ...claimMappings,
        username: claimMappings?.username ?? {},
        extra: (claimMappings?.extra ?? []).map(({ key = '', valueExpression = '' }: Partial<ExtraMapping>) => ({ key, valueExpression })),
      },
    })),
    ...(anonymous && {
      anonymous: { enabled: anonymous.enabled ?? false, paths: (anonymous.conditions ?? []).map(({ path = '' }) => path) },
    }),
  };
}

/** The decoded file; every field may be missing. */
interface Decoded {
  readonly jwt?: readonly Partial<JwtAuthenticatorConfig>[];
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] };
}

function decode(text: string): Decoded {
  const version = versionOf(text);
  const expected = { group: GROUP, version, kind: KIND, schema: authenticationConfigurationSchema, kinds: KINDS };
  try {
    return yaml.decodeObject(Buffer.from(text), expected, 'Strict').object as unknown as Decoded;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new AuthenticationConfigurationError(error.message.replace(/^.*? cannot be handled as a \w+: /, '').replace(/\s*\n\s*/g, ' '));
  }
}

function versionOf(text: string): string {
  let object: unknown;
  try {
    object = parseYaml(text);
  } catch (error) {
    throw new AuthenticationConfigurationError((error as Error).message.split('\n')[0]);
  }
  const { kind, apiVersion } = (object ?? {}) as { kind?: unknown; apiVersion?: unknown };
  const version = VERSIONS.find((each) => apiVersion === `${GROUP}/${each}`);
  if (kind === KIND && version !== undefined) return version;
  throw new AuthenticationConfigurationError(
    `it must have the kind ${KIND} and the apiVersion ${GROUP}/${VERSIONS[0]} or ${GROUP}/${VERSIONS[1]}`,
  );
}

/** Files of this type are only read as JSON or YAML: the fields need no numbers. */
const text = (name: string): Field => field(name, 0, string(), 'optional', '');
const type = (goName: string, fields: Field[]) => struct(goName, '', fields);

const issuer = type('Issuer', [
  text('url'),
  text('discoveryURL'),
  text('certificateAuthority'),
  field('audiences', 0, list(string()), 'optional', ''),
  text('audienceMatchPolicy'),
  text('egressSelectorType'),
]);
const claimValidationRule = type('ClaimValidationRule', [text('claim'), text('requiredValue'), text('expression'), text('message')]);
const prefixed = type('PrefixedClaimOrExpression', [text('claim'), text('prefix'), text('expression')]);
const claimOrExpression = type('ClaimOrExpression', [text('claim'), text('expression')]);
const extraMapping = type('ExtraMapping', [text('key'), text('valueExpression')]);
const claimMappings = type('ClaimMappings', [
  field('username', 0, prefixed, 'optional', ''),
  field('groups', 0, prefixed, 'optional', ''),
  field('uid', 0, claimOrExpression, 'optional', ''),
  field('extra', 0, list(extraMapping), 'optional', ''),
]);
const userValidationRule = type('UserValidationRule', [text('expression'), text('message')]);
const jwtAuthenticator = type('JWTAuthenticator', [
  field('issuer', 0, issuer, 'optional', ''),
  field('claimValidationRules', 0, list(claimValidationRule), 'optional', ''),
  field('claimMappings', 0, claimMappings, 'optional', ''),
  field('userValidationRules', 0, list(userValidationRule), 'optional', ''),
]);
const anonymous = type('AnonymousAuthConfig', [
  field('enabled', 0, bool(), 'optional', ''),
  field('conditions', 0, list(type('AnonymousAuthCondition', [text('path')])), 'optional', ''),
]);

/** apiserver.config.k8s.io AuthenticationConfiguration; identical in all its versions. */
const authenticationConfigurationSchema = type('AuthenticationConfiguration', [
  ...typeMetaFields(),
  field('jwt', 0, list(jwtAuthenticator), 'optional', ''),
  field('anonymous', 0, anonymous, 'optional', ''),
]);

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
