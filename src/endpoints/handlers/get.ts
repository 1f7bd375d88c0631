import { parseGetOptions } from '../../apimachinery/options/get-options.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { writeObject } from '../writers/write-object.js';

/** GET of one object (apiserver handlers/get.go GetResource). */
export async function getResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = parseGetOptions(request.query);
  const stored = await scope.store.get(scope.target(request), options);
  writeObject(scope, request, choice, 200, { object: stored });
}
