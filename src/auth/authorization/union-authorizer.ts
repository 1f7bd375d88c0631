import type { UserInfo } from '../../registry/request-context.js';
import type { AuthorizationAttributes, Authorizer, Decision, UserRules } from './authorizer.js';
import { AuthorizationError } from './authorizer.js';

/** What those without an opinion had to say. */
interface Gathered {
  readonly reasons: string;
  readonly errors: readonly string[];
}

const NOTHING: Gathered = Object.freeze({ reasons: '', errors: [] });

/**
 * Asks one authorizer after the other; the first that allows or denies decides, and the reasons and errors of those without an opinion
 * are gathered (apiserver authorization/union).
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
      ...(errors.length > 0 ? { evaluationError: errors.length === 1 ? errors[0] : `[${errors.join(', ')}]` } : {}),
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
  const distinct = [...new Set(errors)];
  const text = distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`;
  return {
    allowed: false,
    ...(reasons === '' ? {} : { reason: reasons }),
    ...(distinct.length === 0 ? {} : { error: new AuthorizationError(text) }),
  };
}
