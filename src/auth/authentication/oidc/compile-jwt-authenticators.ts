import { type FieldError, duplicate, tooMany } from '../../../apimachinery/errors/field-error.js';
import { ClaimMapper } from './claim-mapper.js';
import { compileRules } from './compiled-rules.js';
import type { JwtAuthenticatorConfig } from './jwt-authenticator-config.js';
import { validateJwtAuthenticator, validateUseOfEmail } from './validate-jwt-authenticator.js';

const MOST = 64;

/** A validated configuration of an issuer. */
export interface CompiledJwtAuthenticator {
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
