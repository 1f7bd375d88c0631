import { SYSTEM_MASTERS } from '../../auth/authentication/authenticator.js';
import type { ErrorWriter } from '../response/error-writer.js';
import type { Fail, Filter } from './filter.js';
import type { RequestLimiting } from './request-limiting.js';

/** Goes on at once or when seats are free: 429 if neither may be, or if the user's clients hold too much memory or too many watches. */
export function withFlowControl({ limiter, watches }: RequestLimiting, errors: ErrorWriter, fail: Fail): Filter {
  return (next) => (request) => {
    const { user, info, account } = request;
    // A client that reads its responses holds almost no memory. One that does not gets no more, well before it is cut off.
    if (account.isOwnerNearLimit && !user.groups.includes(SYSTEM_MASTERS)) return errors.writeTooManyRequests(request, 1);
    if (info.verb === 'watch' && !watches.begin(request)) return errors.writeTooManyRequests(request, 1);
    const ticket = limiter.admit(request);
    request.admission.takeTicket(ticket);
    if (!ticket || ticket.state === 'executing') return next(request);
    ticket.decided = (retryAfter) => {
      if (retryAfter !== undefined) return errors.writeTooManyRequests(request, retryAfter);
      try {
        next(request);
      } catch (error) {
        fail(request, error);
      }
    };
  };
}
