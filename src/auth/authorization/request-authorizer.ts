import type { UserInfo } from '../../registry/resource/request-context.js';
import { type AuthorizationAttributes, type Authorizer, type Decision, ALLOWED } from './authorizer.js';
import { whenReady } from '../../time/when-ready.js';

/** A request as a client sent it. */
export interface RequestToAuthorize {
  readonly user: UserInfo;
  readonly info: AuthorizationAttributes;
  /** Whether a trusted front proxy authorized exactly this request, for exactly this user, before it passed it on. */
  readonly isAuthorizedByProxy: boolean;
}

/**
 * Authorizes requests themselves. Only here does the decision of a front proxy count: kube-apiserver authorizes the request that it passes
 * on and nothing else, so every check that a request leads to, such as the creation that a PUT turns out to be, is made with an Authorizer,
 * which does not know of proxies.
 */
export class RequestAuthorizer {
  readonly #authorizer: Authorizer;
  readonly #beforeProxy: Authorizer | undefined;

  /** `beforeProxy`: the authorizers that are asked before a front proxy's decision counts; absent: it never does. */
  constructor(authorizer: Authorizer, beforeProxy?: Authorizer) {
    this.#authorizer = authorizer;
    this.#beforeProxy = beforeProxy;
  }

  authorize({ user, info, isAuthorizedByProxy }: RequestToAuthorize): Decision | Promise<Decision> {
    if (!isAuthorizedByProxy || !this.#beforeProxy) return this.#authorizer.authorize(user, info);
    return whenReady(this.#beforeProxy.authorize(user, info), unlessDenied);
  }
}

function unlessDenied(decision: Decision): Decision {
  return decision.allowed || decision.denied ? decision : ALLOWED;
}
