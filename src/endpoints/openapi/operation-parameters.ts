import type { ApiParameter } from './api-operation.js';

const query = (name: string, type: ApiParameter['type'], description: string): ApiParameter => ({ name, in: 'query', type, description });
const path = (name: string, description: string): ApiParameter => ({ name, in: 'path', type: 'string', description, shared: true });

export const NAMESPACE = path('namespace', 'Namespace of the object, or of the objects in the list.');
export const NAME = path('name', 'Name of the object.');
export const PRETTY: ApiParameter = {
  ...query('pretty', 'string', "If 'true', the answer is indented. The default is 'false' unless the user agent is a browser or a command-line tool."),
  shared: true,
};

const DRY_RUN = query('dryRun', 'string', "With 'All' every check runs and nothing is kept. Any other value is refused.");
const FIELD_MANAGER = query('fieldManager', 'string', 'Name under which the changed fields are recorded; at most 128 printable characters.');
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  "What happens to unknown and duplicate fields: 'Ignore' drops them, 'Warn' (the default) drops them with a Warning header each, 'Strict' refuses the request.",
);

/** Parameters of create and replace. */
export const WRITE_PARAMETERS: readonly ApiParameter[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];

export const PATCH_PARAMETERS: readonly ApiParameter[] = [
  ...WRITE_PARAMETERS,
  query('force', 'boolean', 'Apply only: take over fields that other managers own. It must be absent with other patch types.'),
];

const LIST_SELECTION: readonly ApiParameter[] = [
  query('continue', 'string', 'Token of the answer before, to get the next page of the same list. It expires after some minutes; the 410 then carries a token to go on without consistency.'),
  query('fieldSelector', 'string', 'Only objects with these fields, such as metadata.name=x.'),
  query('labelSelector', 'string', 'Only objects with these labels, such as app=web,tier notin (cache).'),
  query('limit', 'integer', 'Largest number of objects in the answer. If there are more, the answer has a continue token.'),
  query('resourceVersion', 'string', "The state to read: empty for the newest, '0' for any, or a version; see resourceVersionMatch. Where a watch begins."),
  query('resourceVersionMatch', 'string', "How resourceVersion counts: 'NotOlderThan' or 'Exact'."),
  query('sendInitialEvents', 'boolean', 'Watch only: begin with an ADDED event for every object, then a bookmark. Needs resourceVersionMatch=NotOlderThan.'),
  query('shardSelector', 'string', "Only a share of all objects, by hash: shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')."),
  query('timeoutSeconds', 'integer', 'How long a watch lasts at most.'),
];

export const LIST_PARAMETERS: readonly ApiParameter[] = [
  query('allowWatchBookmarks', 'boolean', 'Watch only: send BOOKMARK events, which tell how far the watch has come.'),
  ...LIST_SELECTION,
  query('watch', 'boolean', 'Follow the changes instead of listing the objects.'),
];

export const DELETE_PARAMETERS: readonly ApiParameter[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'Seconds before the object is deleted; without effect for objects that need none.'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean', 'Has no effect on this server.'),
  query('orphanDependents', 'boolean', 'Deprecated; use propagationPolicy. Whether dependents lose their owner instead of being deleted.'),
  query('propagationPolicy', 'string', "What happens to dependents: 'Orphan', 'Background' or 'Foreground'."),
];

export const DELETE_COLLECTION_PARAMETERS: readonly ApiParameter[] = [...DELETE_PARAMETERS, ...LIST_SELECTION];
