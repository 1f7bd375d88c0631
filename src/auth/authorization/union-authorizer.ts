import { aggregateTexts } from '../../apimachinery/errors/aggregate-texts.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { AuthorizationAttributes, Authorizer, Decision, UserRules } from './authorizer.js';
import { AuthorizationError } from './authorizer.js';

/** Reasons and errors of authorizers that did not decide. */
interface Gathered {
  readonly reasons: string;
  readonly errors: readonly string[];
}

const NOTHING: Gathered = Object.freeze({ reasons: '', errors: [] });

/**
 * Calls authorizers in order until one allows or denies. If none does, it refuses with their reasons, or with an error if at least one of
 * them failed (apiserver authorization/union).
 */
export class UnionAuthorizer implements Authorizer {
  readonly #authorizers: readonly Authorizer[];

  constructor(authorizers: readonly Authorizer[]) {
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
    const decision = authorizer.authorize(user, attributes);
    if (decision instanceof Promise) return decision.then((made) => this.#after(user, attributes, at, gathered, made));
    return this.#after(user, attributes, at, gathered, decision);
  }

  #after(
    user: UserInfo,
    attributes: AuthorizationAttributes,
    at: number,
    gathered: Gathered,
    decision: Decision,
  ): Decision | Promise<Decision> {
    if (decision.allowed || decision.denied) return decision;
    const { reason = '', error } = decision;
    if (reason === '' && !error) return this.#next(user, attributes, at + 1, gathered);
    const reasons = reason === '' || gathered.reasons === '' ? gathered.reasons + reason : `${gathered.reasons}\n${reason}`;
    const errors = error ? [...gathered.errors, error.message] : gathered.errors;
    return this.#next(user, attributes, at + 1, { reasons, errors });
  }
}

function refusal({ reasons, errors }: Gathered): Decision {
  return {
    allowed: false,
    ...(reasons === '' ? {} : { reason: reasons }),
    ...(errors.length === 0 ? {} : { error: new AuthorizationError(aggregateTexts(errors)) }),
  };
}
