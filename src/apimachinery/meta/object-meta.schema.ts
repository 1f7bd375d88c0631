import {
  type TypeOf,
  bool,
  field,
  int64,
  list,
  map,
  raw,
  requiredField,
  string,
  struct,
  time,
  typeMetaFields,
} from '../schema/struct-type.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.OwnerReference. */
const ownerReferenceSchema = struct(
  `${META}.OwnerReference`,
  'Reference to an object that this one depends on. The owner is in the same namespace or cluster-scoped.',
  [
    requiredField('apiVersion', 5, string(), 'Group and version of the owner.'),
    requiredField('kind', 1, string(), 'Kind of the owner.'),
    requiredField('name', 3, string(), 'Name of the owner.'),
    requiredField('uid', 4, string('types.UID'), 'UID of the owner, which distinguishes it from other objects of the same name.'),
    field('controller', 6, bool(), 'optional', 'Whether the owner is the controller that manages this object. At most one owner is.'),
    field(
      'blockOwnerDeletion',
      7,
      bool(),
      'optional',
      'Whether a foreground deletion of the owner waits until this reference is removed. False by default.',
    ),
  ],
  { atomic: true },
);

/** metav1.OwnerReference. */
export type OwnerReference = TypeOf<typeof ownerReferenceSchema>;

/** metav1.ManagedFieldsEntry. */
const managedFieldsEntrySchema = struct(
  `${META}.ManagedFieldsEntry`,
  'Fields last set by one manager, in one API version and by one kind of operation.',
  [
    field('manager', 1, string(), 'omitEmpty', 'Name of the program or workflow that manages these fields.'),
    field('operation', 2, string('v1.ManagedFieldsOperationType'), 'omitEmpty', "Operation that set them: 'Apply' or 'Update'."),
    field('apiVersion', 3, string(), 'omitEmpty', 'Group and version that the field names belong to.'),
    field(
      'time',
      4,
      time(),
      'optional',
      'When the entry was created or its set of fields changed. It does not change when another manager takes over a field.',
    ),
    field('fieldsType', 6, string(), 'omitEmpty', "Format of the set of fields; always 'FieldsV1'."),
    field(
      'fieldsV1',
      7,
      raw<Record<string, unknown>>(`${META}.FieldsV1`, 'A set of fields as a tree.'),
      'optional',
      "The set of fields, in the format 'FieldsV1'.",
    ),
    field('subresource', 8, string(), 'omitEmpty', 'Subresource through which the fields were written; empty for the object itself.'),
  ],
);

/** metav1.ManagedFieldsEntry. `fieldsV1` is the parsed FieldsV1 tree. */
export type ManagedFieldsEntry = TypeOf<typeof managedFieldsEntrySchema>;

/** metav1.ObjectMeta: the metadata of every stored object. */
export const objectMetaSchema = struct(
  `${META}.ObjectMeta`,
  'Metadata that every stored object has: names, versions, labels and fields maintained by the server.',
  [
    field('name', 1, string(), 'omitEmpty', 'Name, unique within the namespace among objects of this resource. It cannot be changed.'),
    field(
      'generateName',
      2,
      string(),
      'omitEmpty',
      'Prefix from which the server generates a unique name if name is absent. If it finds no free name, the response is 409.',
    ),
    field('namespace', 3, string(), 'omitEmpty', 'Namespace of the object. Empty for cluster-scoped objects. It cannot be changed.'),
    field('selfLink', 4, string(), 'omitEmpty', 'Deprecated: no longer set.'),
    field('uid', 5, string('types.UID'), 'omitEmpty', 'Unique identifier of this object, assigned by the server on creation.'),
    field(
      'resourceVersion',
      6,
      string(),
      'omitEmpty',
      'Version of the object, which the server increases with every change. An update that contains it succeeds only if the object has not changed since. Versions compare as numbers.',
    ),
    field('generation', 7, int64(), 'omitEmpty', 'Sequence number of the desired state, for resources that have one. Read-only.'),
    field(
      'creationTimestamp',
      8,
      time(),
      'omitEmpty',
      'CreationTimestamp is the time at which the server created the object, in UTC. Clients may not set it.',
    ),
    field(
      'deletionTimestamp',
      9,
      time(),
      'optional',
      'When the object is due to be deleted. Set by the server when deletion is requested; the object remains until its finalizers are removed.',
    ),
    field(
      'deletionGracePeriodSeconds',
      10,
      int64(),
      'optional',
      'Seconds that the object has to terminate gracefully. Set only together with deletionTimestamp.',
    ),
    field('labels', 11, map(string()), 'omitEmpty', 'Keys and values for grouping and selecting objects.'),
    field(
      'annotations',
      12,
      map(string()),
      'omitEmpty',
      'Keys and values that tools store with the object. They cannot be used in selectors.',
    ),
    field(
      'ownerReferences',
      13,
      list(ownerReferenceSchema, { semantics: 'map', mapKeys: ['uid'], patchStrategy: 'merge', patchMergeKey: 'uid' }),
      'omitEmpty',
      'Objects that this one depends on. Once all of them are deleted, it can be garbage collected.',
    ),
    field(
      'finalizers',
      14,
      list(string(), { semantics: 'set', patchStrategy: 'merge' }),
      'omitEmpty',
      'Names of components that have work to do before the object is removed. While any is left, a deletion only marks the object. In no particular order.',
    ),
    // Decoders keep it even if empty: a client that sends [] asks to drop all owners (managedfields/managed-fields-entry.ts isReset).
    field(
      'managedFields',
      17,
      list(managedFieldsEntrySchema),
      'optional',
      'Which manager set which fields, for server-side apply. Clients rarely need it.',
    ),
  ],
);

/**
 * metav1.ObjectMeta. Absent means Go's zero value. Times are canonical texts (`2006-01-02T15:04:05Z`). `resourceVersion` is decimal
 * text; it is never part of the stored bytes.
 */
export type ObjectMeta = TypeOf<typeof objectMetaSchema>;

/** The first fields of every type of objects: kind, apiVersion and metadata. */
export const objectFields = (description = 'Standard metadata of the object.') =>
  [...typeMetaFields(), field('metadata', 1, objectMetaSchema, 'always', description)] as const;

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

/** metav1.PartialObjectMetadata: an object reduced to its metadata. */
export const partialObjectMetadataSchema = struct(`${META}.PartialObjectMetadata`, 'An object of any kind, reduced to its metadata.', [
  ...objectFields('Metadata of the object.'),
]);

/** metav1.PartialObjectMetadataList. */
export const partialObjectMetadataListSchema = struct(
  `${META}.PartialObjectMetadataList`,
  'A list of objects, reduced to their metadata.',
  [
    ...typeMetaFields(),
    field('metadata', 1, listMetaSchema, 'always', 'Metadata of the list.'),
    requiredField('items', 2, list(partialObjectMetadataSchema), 'The objects.'),
  ],
);

/** The common part of all API objects: kind, apiVersion and metadata. Treated as immutable after decoding. */
export type KubeObject = TypeOf<typeof partialObjectMetadataSchema>;
