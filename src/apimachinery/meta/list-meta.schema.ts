import { field, int64, requiredField, string, struct } from '../schema/type-builders.js';
import type { TypeOf } from '../schema/type-of.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.ShardInfo. */
const shardInfoSchema = struct({
  goName: 'ShardInfo',
  openapiName: `${META}.ShardInfo`,
  description: 'Tells that a list holds one shard of the collection.',
  fields: [requiredField('selector', 1, string(), 'The shard selector of the request, in its normal form.')],
});

/** metav1.ListMeta: what every list carries. */
export const listMetaSchema = struct({
  goName: 'ListMeta',
  openapiName: `${META}.ListMeta`,
  description: 'Metadata of a list.',
  fields: [
    field('selfLink', 1, string(), 'omitEmpty', 'Not filled in any more; kept for old clients.'),
    field('resourceVersion', 2, string(), 'omitEmpty', 'Version of the collection at which the list was made; a watch may start there.'),
    field('continue', 3, string(), 'omitEmpty', 'Token for the next page, if the list was cut at its limit. Clients do not look into it.'),
    field(
      'remainingItemCount',
      4,
      int64(),
      'optional',
      'How many items follow after this page. Not given if unknown, as with label or field selectors.',
    ),
    field('shardInfo', 5, shardInfoSchema, 'optional', 'Which shard this is, if the request selected one.'),
  ],
});

/** metav1.ListMeta. */
export type ListMeta = TypeOf<typeof listMetaSchema>;
