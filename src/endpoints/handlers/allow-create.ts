import { internalError } from '../../apimachinery/errors/status-errors.js';
import { forbiddenRequest } from '../../auth/authorization/forbidden.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';

/** Gives the registry the authorization check for a PUT or apply that turns out to create the object. */
export function allowCreateOf(scope: { readonly services: Pick<RequestScope['services'], 'authorizer'> }, request: ApiRequest): void {
  request.authorizeCreateBy(async () => {
    const attributes = { ...request.info, verb: 'create' };
    const decision = await scope.services.authorizer.authorize(request.user, attributes);
    if (decision.allowed) return;
    if (decision.error) throw internalError(decision.error.message, decision.error);
    throw forbiddenRequest(request.user, attributes, decision.reason);
  });
}
