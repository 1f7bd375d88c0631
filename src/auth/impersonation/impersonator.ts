import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.js';
import { ExpiringCache } from '../expiring-cache.js';
import { ImpersonationCheck } from './impersonation-check.js';
import { IMPERSONATION_MODES } from './impersonation-mode.js';

/** The impersonated user of a request. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb that allowed it, unless that was plain `impersonate`. */
  readonly constraint: string;
}

/** Number of users whose last successful mode is remembered. */
const REMEMBERED = 10_000;

/**
 * Authorizes impersonation (apiserver endpoints/filters/impersonation). Tries each mode that applies to the wanted user, starting with the
 * one that last succeeded for this requestor. If all refuse, the first refusal is thrown.
 */
export class Impersonator {
  readonly #authorizer: Authorizer;
  /** Index of the last successful mode by requestor. */
  readonly #lastModes = new ExpiringCache<number>(REMEMBERED, Date.now);

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** Resolves with the user to impersonate; rejects with the 403. */
  async impersonate(requestor: UserInfo, wanted: UserInfo, request: AuthorizationAttributes): Promise<Impersonated> {
    let refusal: unknown;
    for (const at of this.#order(requestor.name)) {
      const mode = IMPERSONATION_MODES[at];
      if (!mode?.applies(wanted, requestor)) continue;
      try {
        const user = await new ImpersonationCheck(this.#authorizer, requestor, mode).check(wanted, request);
        this.#lastModes.set(requestor.name, at, Infinity);
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
}
