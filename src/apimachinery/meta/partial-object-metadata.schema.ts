import { field, list, requiredField, struct, typeMetaFields } from '../schema/type-builders.js';
import { listMetaSchema } from './list-meta.schema.js';
import { objectFields } from './object-meta.schema.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

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
