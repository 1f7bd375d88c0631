import { internalError } from '../../apimachinery/errors/status-errors.js';
import { type Authorizer, forbiddenRequest } from '../../auth/authorization/authorizer.js';
import type { ApiRequest } from '../request/api-request.js';

/** Authorizes the creation that a PUT or apply turns into: verb `create` on the name in the URL. Rejects with the 403. */
export async function allowCreate(authorizer: Authorizer, { info, user }: ApiRequest): Promise<void> {
  const attributes = { ...info, verb: 'create' };
  const decision = await authorizer.authorize(user, attributes);
  if (decision.allowed) return;
  if (decision.error) throw internalError(decision.error.message, decision.error);
  throw forbiddenRequest(user, attributes, decision.reason);
}
