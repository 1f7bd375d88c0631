import { aggregateTexts } from '../../apimachinery/errors/api-error.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import {
  type AuthorizationAttributes,
  type Authorizer,
  type Decision,
  type NamedAuthorizer,
  type UserRules,
  AuthorizationError,
} from './authorizer.js';
import { whenReady } from '../../time/when-ready.js';

/** Reasons and errors of authorizers that did not decide. */
interface Gathered {
  readonly reasons: string;
  readonly errors: readonly string[];
}

const NOTHING: Gathered = Object.freeze({ reasons: '', errors: [] });

/**
 * Calls authorizers in order until one allows or denies. If none does, it refuses with their names and reasons, or with an error if at least
 * one of them failed (apiserver authorization/union).
 */
export class UnionAuthorizer implements Authorizer {
  readonly #authorizers: readonly NamedAuthorizer[];

  constructor(authorizers: readonly NamedAuthorizer[]) {
    this.#authorizers = authorizers;
  }

  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    return this.#next(user, attributes, 0, NOTHING);
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    const answers = this.#authorizers.flatMap((authorizer) => authorizer.rulesFor?.(user, namespace) ?? []);
    const errors = answers.flatMap(({ evaluationError }) => evaluationError ?? []);
    return {
      rules: answers.flatMap(({ rules }) => rules),
      incomplete: answers.some(({ incomplete }) => incomplete),
      ...(errors.length > 0 ? { evaluationError: aggregateTexts(errors) } : {}),
    };
  }

  #next(user: UserInfo, attributes: AuthorizationAttributes, at: number, gathered: Gathered): Decision | Promise<Decision> {
    const authorizer = this.#authorizers[at];
    if (!authorizer) return refusal(gathered);
    return whenReady<Decision, Decision>(authorizer.authorize(user, attributes), (decision) => {
      if (decision.allowed || decision.denied) return decision;
      return this.#next(user, attributes, at + 1, gather(gathered, authorizer.name, decision));
    });
  }
}

function gather(before: Gathered, name: string, { reason = '', error }: Exclude<Decision, { allowed: true }>): Gathered {
  if (reason === '' && !error) return before;
  const named = reason === '' ? '' : `${name}: ${reason}`;
  return {
    reasons: [before.reasons, named].filter((each) => each !== '').join('\n'),
    errors: error ? [...before.errors, error.message] : before.errors,
  };
}

function refusal({ reasons, errors }: Gathered): Decision {
  return {
    allowed: false,
    ...(reasons === '' ? {} : { reason: reasons }),
    ...(errors.length === 0 ? {} : { error: new AuthorizationError(aggregateTexts(errors)) }),
  };
}
