import { refuseUnsafeCollection } from '../../apimachinery/options/delete-options.js';
import { parseListOptions } from '../../apimachinery/options/list-options.js';
import { parseSelectors } from '../../registry/scope/select-objects.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { writeList } from '../writers/write-list.js';
import { requireListForm } from '../writers/required-form.js';
import { readDeleteOptions } from './delete.js';

/** DELETE of a collection; the response is the list of deleted objects (apiserver handlers/delete.go DeleteCollection). */
export async function deleteCollectionResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  requireListForm(scope, choice);
  const listOptions = parseListOptions(request.query);
  parseSelectors(scope.definition, listOptions); // refused ahead of what the body says
  const deleteOptions = await readDeleteOptions(scope, request);
  refuseUnsafeCollection(deleteOptions);
  const page = await scope.store.deleteCollection(request, scope.target(request), listOptions, deleteOptions);
  await writeList(scope, request, choice, page);
}
