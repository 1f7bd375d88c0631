import type { UserInfo } from '../../../registry/resource/request-context.js';
import { AuthenticationError } from '../authenticator.js';
import type { JwtClaims } from '../jwt/jwt-authenticator.js';
import type { CelProgram, CompiledRule, CompiledRules } from './cel-program.js';
import type { ClaimMappings, ClaimValidationRule, JwtAuthenticatorConfig } from './jwt-authenticator-config.js';

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/**
 * Maps a token's claims to a user and checks both against the configured rules (apiserver plugin/pkg/authenticator/token/oidc). Throws an
 * AuthenticationError for claims that do not fit.
 */
export class ClaimMapper {
  readonly #mappings: ClaimMappings;
  readonly #required: readonly ClaimValidationRule[];
  readonly #rules: CompiledRules;

  constructor({ claimMappings, claimValidationRules = [] }: JwtAuthenticatorConfig, rules: CompiledRules) {
    this.#mappings = claimMappings;
    this.#required = claimValidationRules.filter(({ claim }) => claim);
    this.#rules = rules;
  }

  userOf(claims: JwtClaims): UserInfo {
    const user = Object.freeze({
      name: this.#name(claims),
      groups: this.#groups(claims),
      uid: this.#uid(claims),
      extra: this.#extra(claims),
    });
    for (const rule of this.#required) checkRequired(rule, claims);
    checkRules(this.#rules.claims, claims, 'claim validation expression');
    checkRules(this.#rules.users, user, 'user info validation rule');
    return user;
  }

  #name(claims: JwtClaims): string {
    const { claim = '', prefix = '' } = this.#mappings.username;
    const { username } = this.#rules;
    if (username) {
      const name = evaluated(username, claims, 'username claim expression');
      if (typeof name !== 'string') {
        throw failure('error evaluating username claim expression: username claim expression must return a string');
      }
      if (name === '') throw failure('empty username via CEL expression is not allowed');
      return name;
    }
    const name = textOf(claims, claim, 'username claims');
    if (name === '') throw failure('empty username is not allowed');
    if (claim === 'email' && claims['email_verified'] !== undefined && claims['email_verified'] !== true) {
      throw failure('email not verified');
    }
    return prefix + name;
  }

  #groups(claims: JwtClaims): string[] {
    const { claim = '', prefix = '' } = this.#mappings.groups ?? {};
    if (claim !== '' && Object.hasOwn(claims, claim)) {
      const value = claims[claim] ?? [];
      const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (!groups.every((group) => typeof group === 'string')) throw failure(`parse groups claim "${claim}": must be a list of strings`);
      return groups.map((group) => prefix + group);
    }
    const { groups } = this.#rules;
    return groups ? textsOf(evaluated(groups, claims, 'group claim expression'), 'group claim expression') : [];
  }

  #uid(claims: JwtClaims): string {
    const { claim } = this.#mappings.uid ?? {};
    if (claim) return textOf(claims, claim, 'uid claim');
    if (!this.#rules.uid) return '';
    const uid = evaluated(this.#rules.uid, claims, 'uid claim expression');
    if (typeof uid !== 'string') throw failure('error evaluating uid claim expression: uid claim expression must return a string');
    return uid;
  }

  #extra(claims: JwtClaims): Record<string, string[]> {
    const { jti } = claims;
    const extra = Object.create(null) as Record<string, string[]>;
    if (typeof jti === 'string' && jti !== '') extra[CREDENTIAL_ID] = [`JTI=${jti}`];
    for (const { key, program } of this.#rules.extra) {
      const values = textsOf(evaluated(program, claims, 'extra claim expression'), 'extra claim expression');
      if (values.length > 0) extra[key] = values;
    }
    return extra;
  }
}

function failure(text: string): AuthenticationError {
  return new AuthenticationError(`oidc: ${text}`);
}

function evaluated<V>(program: CelProgram<V>, value: V, what: string): unknown {
  try {
    return program.evaluate(value);
  } catch (error) {
    throw failure(`error evaluating ${what}: ${(error as Error).message.split('\n')[0]}`);
  }
}

function textOf(claims: JwtClaims, claim: string, what: string): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string') return value;
  throw failure(`parse ${what} "${claim}": ${value === undefined ? 'claim not present' : 'must be a string'}`);
}

/** Accepts a string or a list of strings; empty strings count as absent. */
function textsOf(value: unknown, what: string): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value ?? ''];
  if (values.every((each) => typeof each === 'string')) return values.filter((each) => each !== '');
  throw failure(`error evaluating ${what}: expression must return a string or a list of strings`);
}

function checkRequired({ claim = '', requiredValue = '' }: ClaimValidationRule, claims: JwtClaims): void {
  if (!Object.hasOwn(claims, claim)) throw failure(`required claim ${claim} not present in ID token`);
  if (textOf(claims, claim, 'claim') !== requiredValue) throw failure(`required claim ${claim} value does not match`);
}

function checkRules<V>(rules: readonly CompiledRule<V>[], value: V, what: string): void {
  for (const { program, message } of rules) {
    if (evaluated(program, value, what) !== true) throw failure(`error evaluating ${what}: validation failed: ${message}`);
  }
}
