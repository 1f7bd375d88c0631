import type { UserInfo } from '../../registry/request-context.js';
import type { AuthorizationAttributes, Authorizer, Decision, UserRules } from './authorizer.js';

/**
 * Asks one authorizer after the other; the first that allows or denies decides, and the reasons of those without an opinion are
 * gathered (apiserver authorization/union).
 */
export class UnionAuthorizer implements Authorizer {
  readonly #authorizers: readonly Authorizer[];

  constructor(authorizers: readonly Authorizer[]) {
    this.#authorizers = authorizers;
  }

  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    return this.#next(user, attributes, 0, '');
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

  #next(user: UserInfo, attributes: AuthorizationAttributes, at: number, reasons: string): Decision | Promise<Decision> {
    const authorizer = this.#authorizers[at];
    if (!authorizer) return reasons === '' ? { allowed: false } : { allowed: false, reason: reasons };
    const decision = authorizer.authorize(user, attributes);
    if (decision instanceof Promise) return decision.then((made) => this.#after(user, attributes, at, reasons, made));
    return this.#after(user, attributes, at, reasons, decision);
  }

  #after(
    user: UserInfo,
    attributes: AuthorizationAttributes,
    at: number,
    reasons: string,
    decision: Decision,
  ): Decision | Promise<Decision> {
    if (decision.allowed || decision.denied) return decision;
    const more = decision.reason ?? '';
    return this.#next(user, attributes, at + 1, reasons === '' || more === '' ? reasons + more : `${reasons}\n${more}`);
  }
}
