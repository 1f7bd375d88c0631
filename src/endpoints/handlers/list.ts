import { parseListOptions } from '../../apimachinery/options/list-options.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { writeList } from '../writers/write-list.js';
import { serveWatch } from './watch.js';

/** GET of a collection: a list, or with `?watch` a watch (apiserver handlers/get.go ListResource). */
export async function listResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = parseListOptions(request.query);
  if (options.watch) return serveWatch(scope, request, choice, options);
  const page = await scope.store.list(scope.target(request), options);
  await writeList(scope, request, choice, page);
}

/** The deprecated `/watch/` paths, which watch regardless of `?watch`. */
export async function watchResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  return serveWatch(scope, request, choice, parseListOptions(request.query, true));
}
