import { type Authenticator, ANONYMOUS } from '../../auth/authentication/authenticator.js';
import { useOf } from '../connections/connection-use.js';
import { type Fail, type Filter, goOn } from './filter.js';

/** Finds out the user: 401 for a credential that nobody accepts. */
export function withAuthentication(authenticator: Authenticator, fail: Fail): Filter {
  return (next) => (request) => {
    const answer = authenticator.authenticate(request);
    goOn(
      request,
      answer,
      (user) => {
        if (user) request.authenticate(user);
        if (user && user.name !== ANONYMOUS.name) {
          request.account.usedBy(user.name);
          useOf(request.raw.socket)?.authenticated();
        }
        next(request);
      },
      fail,
    );
  };
}
