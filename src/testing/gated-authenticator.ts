import type { Authenticator, AuthenticationRequest } from '../auth/authentication/authenticator.js';
import { ApiRequest } from '../endpoints/request/api-request.js';
import type { UserInfo } from '../registry/resource/request-context.js';
import type { FaultOrders } from './orders/fault-orders.js';
import { ORDERS_PATH } from './orders-path.js';
import type { SeenRequests } from './seen-requests.js';

/**
 * Authenticates as the server does, and then lets each request wait or fail as a test has ordered. Authentication is the first stage that may
 * wait, and the first that knows the user. Orders themselves pass, so that a test can always resume.
 */
export class GatedAuthenticator implements Authenticator {
  readonly #inner: Authenticator;
  readonly #faults: FaultOrders;
  readonly #seen: SeenRequests;

  constructor(inner: Authenticator, faults: FaultOrders, seen: SeenRequests) {
    this.#inner = inner;
    this.#faults = faults;
    this.#seen = seen;
  }

  /** What is no ApiRequest is a request that has waited, and that is authenticated again. */
  authenticate(request: AuthenticationRequest): UserInfo | undefined | Promise<UserInfo | undefined> {
    if (!(request instanceof ApiRequest) || request.url.path.startsWith(ORDERS_PATH)) return this.#inner.authenticate(request);
    return this.#pass(request);
  }

  async #pass(request: ApiRequest): Promise<UserInfo | undefined> {
    let user: UserInfo | undefined;
    try {
      user = await this.#inner.authenticate(request);
    } finally {
      if (!user) this.#seen.add(request, '');
    }
    if (user) await this.#faults.pass(request, this.#seen.add(request, user.name));
    return user;
  }
}
