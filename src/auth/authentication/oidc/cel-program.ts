import { Environment } from '@marcbachmann/cel-js';
import { type FieldError, invalid } from '../../../apimachinery/errors/field-error.js';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import type { JwtClaims } from '../jwt/jwt-authenticator.js';
import type { JwtAuthenticatorConfig } from './jwt-authenticator-config.js';

/** An expression that does not compile; the message is for the operator. */
class CelCompileError extends Error {}

/** A compiled CEL expression. */
export interface CelProgram<V> {
  /** Throws an Error if evaluation fails. CEL integers are bigints. */
  evaluate(value: V): unknown;
  /** Whether it reads a claim of this name (`claims.NAME` or `claims.?NAME`). */
  reads(claim: string): boolean;
}

class UserObject {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;

  constructor({ name, uid, groups, extra }: UserInfo) {
    this.username = name;
    this.uid = uid;
    this.groups = groups;
    this.extra = extra;
  }
}

/** What expressions can name. Made by the first of them, because it takes as long as a tenth of a start. */
function makeEnvironments(): { readonly claims: Environment; readonly user: Environment } {
  // String functions of Kubernetes' CEL that the library lacks.
  const base = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerFunction('string.replace(string, string): string', (text: string, old: string, next: string) => text.replaceAll(old, next))
    .registerFunction('string.find(string): string', (text: string, pattern: string) => text.match(pattern)?.[0] ?? '');
  const user = base.clone().registerType('kubernetes.UserInfo', {
    ctor: UserObject,
    fields: { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' },
  });
  return {
    claims: base.clone().registerVariable('claims', 'map<string, dyn>'),
    user: user.registerVariable('user', 'kubernetes.UserInfo'),
  };
}

let made: ReturnType<typeof makeEnvironments> | undefined;
const environments = (): ReturnType<typeof makeEnvironments> => (made ??= makeEnvironments());

/** Compiles an expression over `claims`. Throws CelCompileError. `result`: the required type, if there is one. */
function compileClaimsExpression(expression: string, result?: 'bool'): CelProgram<JwtClaims> {
  return compile(environments().claims, expression, result, (claims: JwtClaims) => ({ claims }));
}

/** Compiles an expression over `user`. Throws CelCompileError. */
function compileUserExpression(expression: string): CelProgram<UserInfo> {
  return compile(environments().user, expression, 'bool', (user: UserInfo) => ({ user: new UserObject(user) }));
}

function compile<V>(
  environment: Environment,
  expression: string,
  result: string | undefined,
  context: (value: V) => Record<string, unknown>,
): CelProgram<V> {
  const program = parsed(environment, expression);
  const { valid, type, error } = program.check();
  if (!valid) throw new CelCompileError(`compilation failed: ${firstLine(error)}`);
  if (result !== undefined && type !== result) throw new CelCompileError(`must evaluate to ${result}`);
  return {
    evaluate: (value) => program(context(value)) as unknown,
    reads: (claim) => readsClaim(program.ast, claim),
  };
}

function parsed(environment: Environment, expression: string): ReturnType<Environment['parse']> {
  try {
    return environment.parse(expression);
  } catch (error) {
    throw new CelCompileError(`compilation failed: ${firstLine(error)}`);
  }
}

/** The library's further lines show the position in the expression. */
function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : 'not valid').split('\n')[0] ?? '';
}

function readsClaim(node: unknown, claim: string): boolean {
  if (Array.isArray(node)) return node.some((each) => readsClaim(each, claim));
  if (typeof node !== 'object' || node === null) return false;
  const { op, args } = node as { op?: unknown; args?: unknown };
  if ((op === '.' || op === '.?') && Array.isArray(args) && args[1] === claim && isClaims(args[0])) return true;
  return readsClaim(args, claim);
}

function isClaims(node: unknown): boolean {
  const { op, args } = (node ?? {}) as { op?: unknown; args?: unknown };
  return op === 'id' && args === 'claims';
}

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
