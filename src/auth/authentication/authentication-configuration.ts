import { parse as parseYaml } from 'yaml';
import { kindRegistry } from '../../apimachinery/codec/serializer/serializer.js';
import { YamlSerializer } from '../../apimachinery/codec/yaml/yaml-serializer.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { ExtraMapping, JwtAuthenticatorConfig } from './oidc/jwt-authenticator-config.js';
import { authenticationConfigurationSchema } from './authentication-configuration.schema.js';

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
