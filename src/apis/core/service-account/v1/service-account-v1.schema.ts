import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import { bool, field, list, string, struct, typeMetaFields } from '../../../../apimachinery/schema/type-builders.js';
import { objectReferenceSchema } from '../../object-reference.schema.js';

const V1 = 'io.k8s.api.core.v1';

/** core/v1 LocalObjectReference. */
const localObjectReferenceSchema = struct({
  goName: 'LocalObjectReference',
  openapiName: `${V1}.LocalObjectReference`,
  description: 'Names another object in the same namespace.',
  atomic: true,
  fields: [field('name', 1, string(), 'omitEmpty', 'Name of the object.')],
});

/** core/v1 ServiceAccount. */
export const serviceAccountV1Schema = struct({
  goName: 'ServiceAccount',
  openapiName: `${V1}.ServiceAccount`,
  description: 'A user that is a program: its name, for roles to be bound to and tokens to be issued for.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    field(
      'secrets',
      2,
      list(objectReferenceSchema, { semantics: 'map', mapKeys: ['name'], patchStrategy: 'merge', patchMergeKey: 'name' }),
      'omitEmpty',
      'Secrets of the same namespace that pods of this account may use.',
    ),
    field('imagePullSecrets', 3, list(localObjectReferenceSchema), 'omitEmpty', 'Secrets of the same namespace to pull images with.'),
    field('automountServiceAccountToken', 4, bool(), 'optional', 'Whether pods of this account get a token of it mounted.'),
  ],
});
