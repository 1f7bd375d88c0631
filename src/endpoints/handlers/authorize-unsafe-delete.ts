import { badRequest, forbidden } from '../../apimachinery/errors/status-errors.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';

const VERB = 'unsafe-delete-ignore-read-errors';
const NO_DELETER = 'no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential';

/** Whoever deletes what cannot be decoded needs a right of its own (apiserver handlers/delete.go). Throws the 400 or 403. */
export async function authorizeUnsafeDelete(scope: RequestScope, request: ApiRequest): Promise<void> {
  request.audit?.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '');
  if (scope.definition.strategy.withoutUnsafeDeletion) throw badRequest(`Internal error occurred: ${NO_DELETER}`);
  const decision = await scope.services.authorizer.authorize(request.user, { ...request.info, verb: VERB });
  if (decision.allowed) return;
  const { reason = '', error } = decision;
  const why = error
    ? `error while checking permission for "${VERB}", ${error.message}`
    : `not permitted to do "${VERB}", reason: ${reason}`;
  throw forbidden(scope.definition, request.info.name, why);
}
