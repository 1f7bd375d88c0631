import { objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, bool, field, list, string, struct } from '../../../apimachinery/schema/struct-type.js';
import { objectReferenceSchema } from '../event/event.schema.js';

const V1 = 'io.k8s.api.core.v1';

const localObjectReferenceSchema = struct(
  `${V1}.LocalObjectReference`,
  'Reference to another object in the same namespace.',
  [{ ...field('name', 1, string(), 'omitEmpty', 'Name of the object.'), zeroDefault: true }],
  { atomic: true },
);

export const serviceAccountV1Schema = struct(
  `${V1}.ServiceAccount`,
  'The identity of a program, to which roles can be bound and for which tokens can be issued.',
  [
    ...objectFields(),
    field(
      'secrets',
      2,
      list(objectReferenceSchema, { semantics: 'map', mapKeys: ['name'], patchStrategy: 'merge', patchMergeKey: 'name' }),
      'omitEmpty',
      'Secrets of the same namespace that pods with this account may use.',
    ),
    field('imagePullSecrets', 3, list(localObjectReferenceSchema), 'omitEmpty', 'Secrets of the same namespace to pull images with.'),
    field('automountServiceAccountToken', 4, bool(), 'optional', 'Whether a token of this account is mounted into its pods.'),
  ],
);

/** The hub type of service accounts; it has the shape of v1. */
export type ServiceAccount = TypeOf<typeof serviceAccountV1Schema>;
