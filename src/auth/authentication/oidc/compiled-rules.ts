import { type FieldError, invalid } from '../../../apimachinery/errors/field-error.js';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import type { JwtClaims } from '../jwt/parsed-jwt.js';
import { type CelProgram, CelCompileError, compileClaimsExpression, compileUserExpression } from './cel-program.js';
import type { JwtAuthenticatorConfig } from './jwt-authenticator-config.js';

/** An expression that must be true, and the message if it is not. */
export interface CompiledRule<V> {
  readonly program: CelProgram<V>;
  readonly message: string;
}

/** The compiled expressions of a configuration, where present. */
export interface CompiledRules {
  readonly username?: CelProgram<JwtClaims>;
  readonly groups?: CelProgram<JwtClaims>;
  readonly uid?: CelProgram<JwtClaims>;
  readonly extra: readonly { readonly key: string; readonly program: CelProgram<JwtClaims> }[];
  readonly claims: readonly CompiledRule<JwtClaims>[];
  readonly users: readonly CompiledRule<UserInfo>[];
}

/** Compiles the expressions of a configuration; failures are added to `errors`. */
export function compileRules(config: JwtAuthenticatorConfig, at: string, errors: FieldError[]): CompiledRules {
  const { claimMappings: mappings, claimValidationRules = [], userValidationRules = [] } = config;
  const compiled = <P>(path: string, expression: string | undefined, compile: (expression: string) => P): P[] => {
    if (!expression) return [];
    try {
      return [compile(expression)];
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      errors.push(invalid(`${at}.${path}`, expression, error.message));
      return [];
    }
  };
  const mapping = (path: string, expression: string | undefined) =>
    compiled(`claimMappings.${path}`, expression, (text) => compileClaimsExpression(text));
  const message = (rule: { message?: string; expression?: string }) => rule.message || `validation expression '${rule.expression}' failed`;

  const claims = claimValidationRules.flatMap((rule, index) =>
    compiled(`claimValidationRules[${index}].expression`, rule.expression, (text) => ({
      program: compileClaimsExpression(text, 'bool'),
      message: message(rule),
    })),
  );
  const [username] = mapping('username.expression', mappings.username.expression);
  const [groups] = mapping('groups.expression', mappings.groups?.expression);
  const [uid] = mapping('uid.expression', mappings.uid?.expression);
  const extra = (mappings.extra ?? []).flatMap(({ key, valueExpression }, index) =>
    mapping(`extra[${index}].valueExpression`, valueExpression).map((program) => ({ key, program })),
  );
  const users = userValidationRules.flatMap((rule, index) =>
    compiled(`userValidationRules[${index}].expression`, rule.expression, (text) => ({
      program: compileUserExpression(text),
      message: message(rule),
    })),
  );
  return { ...(username && { username }), ...(groups && { groups }), ...(uid && { uid }), extra, claims, users };
}
