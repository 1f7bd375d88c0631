import type { Verb } from '../../registry/resource-definition.js';
import { createResource } from './create.js';
import { deleteCollectionResource } from './delete-collection.js';
import { deleteResource } from './delete.js';
import { getResource } from './get.js';
import type { Handler } from './handler.js';
import { listResource, watchResource } from './list.js';
import { patchResource } from './patch.js';
import { updateResource } from './update.js';

/** The handler of each verb. `watch` is that of the `/watch/` paths; a list with `?watch` is still a list's. */
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
