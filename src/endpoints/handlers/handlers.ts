import type { Verb } from '../../registry/resource/resource-definition.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { createResource, updateResource } from './create-and-update.js';
import { deleteCollectionResource, deleteResource } from './delete.js';
import { getResource, listResource, watchResource } from './get.js';
import { patchResource } from './patch.js';

/** Serves one verb of one resource and version. Resolves once the request has its response; the caller responds to a rejection. */
type Handler = (scope: RequestScope, request: ApiRequest) => Promise<void>;

/** The handlers by verb. `watch` serves the `/watch/` paths; `?watch` on a list path is served by `list`. */
export const HANDLERS: Readonly<Record<Verb, Handler>> = {
  create: createResource,
  delete: deleteResource,
  deletecollection: deleteCollectionResource,
  get: getResource,
  list: listResource,
  patch: patchResource,
  update: updateResource,
  watch: watchResource,
};
