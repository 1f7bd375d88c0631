import { DELETE_OPTIONS } from '../../apimachinery/options/delete-options.js';
import { LIST_OPTIONS } from '../../apimachinery/options/list-options.js';
import type { QueryOptions } from '../../apimachinery/options/query-options.js';
import { PATCH_OPTIONS, WRITE_OPTIONS } from '../../apimachinery/options/write-options.js';
import type { ApiParameter } from './api-operation.js';

const query = (name: string, type: ApiParameter['type'], description: string): ApiParameter => ({ name, in: 'query', type, description });
const path = (name: string, description: string): ApiParameter => ({ name, in: 'path', type: 'string', description, shared: true });

export const NAMESPACE = path('namespace', 'Namespace of the object, or of the objects in the list.');
export const NAME = path('name', 'Name of the object.');
export const PRETTY: ApiParameter = {
  ...query(
    'pretty',
    'string',
    "If 'true', the response is indented. The default is 'false' unless the user agent is a browser or a command-line tool.",
  ),
  shared: true,
};

/** The documented parameters of a verb, sorted by name as in upstream's documents. */
function ofQuery(options: QueryOptions): readonly ApiParameter[] {
  return Object.entries(options)
    .flatMap(([name, { type, description }]) => (description === undefined ? [] : [query(name, type, description)]))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const { watch: _watch, allowWatchBookmarks: _bookmarks, ...SELECTION } = LIST_OPTIONS;

/** The query parameters of each verb, from the description of its options. */
export const QUERY_PARAMETERS = {
  write: ofQuery(WRITE_OPTIONS),
  patch: ofQuery(PATCH_OPTIONS),
  list: ofQuery(LIST_OPTIONS),
  delete: ofQuery(DELETE_OPTIONS),
  deleteCollection: [...ofQuery(DELETE_OPTIONS), ...ofQuery(SELECTION)],
};
