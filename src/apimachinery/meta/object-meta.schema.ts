import { bool, field, int64, list, map, raw, requiredField, string, struct, time } from '../schema/type-builders.js';
import type { TypeOf } from '../schema/type-of.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.OwnerReference. */
const ownerReferenceSchema = struct({
  goName: 'OwnerReference',
  openapiName: `${META}.OwnerReference`,
  description: 'Names an object that this one depends on. The owner is in the same namespace or has none.',
  atomic: true,
  fields: [
    requiredField('apiVersion', 5, string(), 'Group and version of the owner.'),
    requiredField('kind', 1, string(), 'Kind of the owner.'),
    requiredField('name', 3, string(), 'Name of the owner.'),
    requiredField('uid', 4, string('types.UID'), 'UID of the owner, so that another object of the same name is not meant.'),
    field('controller', 6, bool(), 'optional', 'Whether the owner is the controller that manages this object; at most one is.'),
    field(
      'blockOwnerDeletion',
      7,
      bool(),
      'optional',
      'Whether a foreground deletion of the owner waits until this reference is gone. False unless set.',
    ),
  ],
});

/** metav1.OwnerReference. */
export type OwnerReference = TypeOf<typeof ownerReferenceSchema>;

/** metav1.ManagedFieldsEntry. */
const managedFieldsEntrySchema = struct({
  goName: 'ManagedFieldsEntry',
  openapiName: `${META}.ManagedFieldsEntry`,
  description: 'The fields that one manager last set, in one version of the API and by one way of writing.',
  fields: [
    field('manager', 1, string(), 'omitEmpty', 'Name of the program or workflow that manages these fields.'),
    field('operation', 2, string('v1.ManagedFieldsOperationType'), 'omitEmpty', "How they were written: 'Apply' or 'Update'."),
    field('apiVersion', 3, string(), 'omitEmpty', 'Group and version in which the field names are to be read.'),
    field(
      'time',
      4,
      time(),
      'optional',
      'When the entry was made or its set of fields changed. Removing a field through another manager leaves it alone.',
    ),
    field('fieldsType', 6, string(), 'omitEmpty', "Format of the set of fields. The only one is 'FieldsV1'."),
    field(
      'fieldsV1',
      7,
      raw<Record<string, unknown>>(`${META}.FieldsV1`, 'A set of fields as a tree.'),
      'optional',
      "The set of fields, in the format 'FieldsV1'.",
    ),
    field('subresource', 8, string(), 'omitEmpty', 'Subresource through which the fields were written; empty for the object itself.'),
  ],
});

/** metav1.ManagedFieldsEntry. `fieldsV1` is the parsed FieldsV1 tree. */
export type ManagedFieldsEntry = TypeOf<typeof managedFieldsEntrySchema>;

/** metav1.ObjectMeta: what every stored object carries. */
export const objectMetaSchema = struct({
  goName: 'ObjectMeta',
  openapiName: `${META}.ObjectMeta`,
  description: 'Metadata that every stored object has: names, versions, labels and bookkeeping of the server.',
  fields: [
    field('name', 1, string(), 'omitEmpty', 'Name, unique within the namespace among objects of this resource. It cannot be changed.'),
    field(
      'generateName',
      2,
      string(),
      'omitEmpty',
      'Prefix from which the server makes a unique name when name is not given. If no free name is found, the answer is 409.',
    ),
    field('namespace', 3, string(), 'omitEmpty', 'Namespace that the object is in. Empty for objects without one. It cannot be changed.'),
    field('selfLink', 4, string(), 'omitEmpty', 'Not filled in any more; kept for old clients.'),
    field('uid', 5, string('types.UID'), 'omitEmpty', 'Identity of this object in time and space, given by the server on creation.'),
    field(
      'resourceVersion',
      6,
      string(),
      'omitEmpty',
      'Version of the object, given by the server and raised with every change. Send it back to update only what was read. It can be compared as a number.',
    ),
    field('generation', 7, int64(), 'omitEmpty', 'Number of the desired state, where a resource counts it. Read-only.'),
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
      'When the object will be gone. Set by the server when deletion is asked for; it waits for the finalizers.',
    ),
    field(
      'deletionGracePeriodSeconds',
      10,
      int64(),
      'optional',
      'Seconds that the object has to end by itself. Only set together with deletionTimestamp.',
    ),
    field('labels', 11, map(string()), 'omitEmpty', 'Keys and values by which objects are grouped and selected.'),
    field('annotations', 12, map(string()), 'omitEmpty', 'Keys and values that tools keep with the object. They cannot be selected.'),
    field(
      'ownerReferences',
      13,
      list(ownerReferenceSchema, { semantics: 'map', mapKeys: ['uid'], patchStrategy: 'merge', patchMergeKey: 'uid' }),
      'omitEmpty',
      'Objects that this one depends on. When all of them are deleted, it may be collected.',
    ),
    field(
      'finalizers',
      14,
      list(string(), { semantics: 'set', patchStrategy: 'merge' }),
      'omitEmpty',
      'Names of those who have work to do before the object may go. While any is left, a deletion only marks the object. In no particular order.',
    ),
    // Kept by decoders even if empty: a client that sends [] asks to forget all owners (managedfields/managed-fields-entry.ts isReset).
    field(
      'managedFields',
      17,
      list(managedFieldsEntrySchema),
      'optional',
      'Who set which fields, for server-side apply. Clients rarely need it.',
    ),
  ],
});

/**
 * metav1.ObjectMeta. Absent means Go's zero value. Times are canonical texts (`2006-01-02T15:04:05Z`). `resourceVersion` is decimal
 * text; it is never part of the stored bytes.
 */
export type ObjectMeta = TypeOf<typeof objectMetaSchema>;
