import { field, string, struct } from '../../apimachinery/schema/type-builders.js';

/** core/v1 ObjectReference. */
export const objectReferenceSchema = struct({
  goName: 'ObjectReference',
  openapiName: 'io.k8s.api.core.v1.ObjectReference',
  description: 'Reference to another object.',
  atomic: true,
  fields: [
    field('kind', 1, string(), 'omitEmpty', 'Kind of the object.'),
    field('namespace', 2, string(), 'omitEmpty', 'Namespace of the object; empty for cluster-scoped ones.'),
    field('name', 3, string(), 'omitEmpty', 'Name of the object.'),
    field('uid', 4, string('types.UID'), 'omitEmpty', 'UID of the object.'),
    field('apiVersion', 5, string(), 'omitEmpty', 'Group and version in which the object was seen.'),
    field('resourceVersion', 6, string(), 'omitEmpty', 'Version of the object.'),
    field(
      'fieldPath',
      7,
      string(),
      'omitEmpty',
      'Path of a part of the object, such as spec.containers{name}; empty for the whole object.',
    ),
  ],
});
