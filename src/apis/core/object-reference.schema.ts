import { field, string, struct } from '../../apimachinery/schema/type-builders.js';

/** core/v1 ObjectReference. */
export const objectReferenceSchema = struct({
  goName: 'ObjectReference',
  openapiName: 'io.k8s.api.core.v1.ObjectReference',
  description: 'Names another object, as exactly as its writer knows it.',
  atomic: true,
  fields: [
    field('kind', 1, string(), 'omitEmpty', 'Kind of the object.'),
    field('namespace', 2, string(), 'omitEmpty', 'Namespace of the object; empty for cluster-scoped ones.'),
    field('name', 3, string(), 'omitEmpty', 'Name of the object.'),
    field('uid', 4, string('types.UID'), 'omitEmpty', 'UID of the object.'),
    field('apiVersion', 5, string(), 'omitEmpty', 'Group and version in which the object was seen.'),
    field('resourceVersion', 6, string(), 'omitEmpty', 'The state of the object that is meant.'),
    field(
      'fieldPath',
      7,
      string(),
      'omitEmpty',
      'The part of the object that is meant, such as spec.containers{name}; empty for all of it.',
    ),
  ],
});
