import { parseGetOptions } from '../../apimachinery/options/query-options.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { writeObject } from '../writers/write-object.js';
import { parseListOptions } from '../../apimachinery/options/list-options.js';
import { writeList } from '../writers/write-list.js';
import { holdSelectors } from './hold-selectors.js';
import { serveWatch } from './watch.js';

/** GET of one object (apiserver handlers/get.go GetResource). */
export async function getResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = parseGetOptions(request.query);
  const stored = await scope.store.get(scope.target(request), options);
  writeObject(scope, request, choice, 200, { object: stored });
}

/** GET of a collection: a list, or with `?watch` a watch (apiserver handlers/get.go ListResource). */
export async function listResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = parseListOptions(request.query);
  holdSelectors(request, options);
  if (options.watch) return serveWatch(scope, request, choice, options);
  const page = await scope.store.list(scope.target(request), options);
  await writeList(scope, request, choice, page);
}

/** The deprecated `/watch/` paths, which watch regardless of `?watch`. */
export async function watchResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = parseListOptions(request.query, true);
  holdSelectors(request, options);
  return serveWatch(scope, request, choice, options);
}
