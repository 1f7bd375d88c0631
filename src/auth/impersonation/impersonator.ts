import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { UserInfo } from '../../registry/request-context.js';
import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.js';
import { ImpersonationCheck } from './impersonation-check.js';
import { IMPERSONATION_MODES } from './impersonation-mode.js';

/** As whom a request is made. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb that allowed it, where it was not plain `impersonate`. */
  readonly constraint: string;
}

/** Of how many users the mode that worked last is remembered. */
const REMEMBERED = 10_000;

/**
 * Lets users act as others who may (apiserver endpoints/filters/impersonation): each mode that is about the wanted user is tried, the
 * one that worked last for this requestor first. When all refuse, the first refusal is the answer.
 */
export class Impersonator {
  readonly #authorizer: Authorizer;
  /** Index of the mode by the requestor's name; the longest unused is forgotten first. */
  readonly #lastModes = new Map<string, number>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** The user as which the request is then made; throws the 403. */
  async impersonate(requestor: UserInfo, wanted: UserInfo, request: AuthorizationAttributes): Promise<Impersonated> {
    let refusal: unknown;
    for (const at of this.#order(requestor.name)) {
      const mode = IMPERSONATION_MODES[at];
      if (!mode?.applies(wanted, requestor)) continue;
      try {
        const user = await new ImpersonationCheck(this.#authorizer, requestor, mode).check(wanted, request);
        this.#remember(requestor.name, at);
        return { user, constraint: mode.name === '' ? '' : `impersonate:${mode.name}` };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }

  #order(requestor: string): number[] {
    const all = IMPERSONATION_MODES.map((_, at) => at);
    const last = this.#lastModes.get(requestor);
    return last === undefined ? all : [last, ...all.filter((at) => at !== last)];
  }

  #remember(requestor: string, mode: number): void {
    this.#lastModes.delete(requestor);
    this.#lastModes.set(requestor, mode);
    if (this.#lastModes.size <= REMEMBERED) return;
    for (const oldest of this.#lastModes.keys()) {
      this.#lastModes.delete(oldest);
      return;
    }
  }
}
