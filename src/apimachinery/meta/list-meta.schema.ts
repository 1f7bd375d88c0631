import { field, int64, requiredField, string, struct } from '../schema/type-builders.js';
import type { TypeOf } from '../schema/type-of.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.ShardInfo. */
const shardInfoSchema = struct(`${META}.ShardInfo`, 'Marks a list as one shard of the collection.', [
  requiredField('selector', 1, string(), 'Shard selector of the request in canonical form.'),
]);

/** metav1.ListMeta: the metadata of every list. */
export const listMetaSchema = struct(`${META}.ListMeta`, 'Metadata of a list.', [
  field('selfLink', 1, string(), 'omitEmpty', 'Deprecated: no longer set.'),
  field('resourceVersion', 2, string(), 'omitEmpty', 'Version of the collection at the time of the list; a watch can start from it.'),
  field('continue', 3, string(), 'omitEmpty', 'Token for the next page, if the list has more objects than its limit. Opaque to clients.'),
  field(
    'remainingItemCount',
    4,
    int64(),
    'optional',
    'Number of items after this page. Absent if unknown, as with label or field selectors.',
  ),
  field('shardInfo', 5, shardInfoSchema, 'optional', 'The shard in this list, if the request selected one.'),
]);

/** metav1.ListMeta. */
export type ListMeta = TypeOf<typeof listMetaSchema>;
