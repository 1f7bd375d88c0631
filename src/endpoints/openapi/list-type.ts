import { listMetaSchema } from '../../apimachinery/meta/object-meta.schema.js';
import { type StructType, field, list, requiredField, struct, typeMetaFields } from '../../apimachinery/schema/struct-type.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../registry/resource/resource-definition.js';

const made = new WeakMap<StructType, StructType>();

/** The schema of a list of these objects: `LeaseList`. */
export function listType(definition: ResourceDefinition, version: ResourceVersionDefinition): StructType {
  const known = made.get(version.schema);
  if (known !== undefined) return known;
  const type = struct(
    `${version.schema.openapiName}List`,
    `A list of objects of kind ${definition.kind}.`,
    [
      ...typeMetaFields(),
      field('metadata', 1, listMetaSchema, 'always', 'Standard metadata of the list.'),
      requiredField('items', 2, list(version.schema, { undeclared: true }), 'The objects.'),
    ],
    { goName: `${definition.kind}List` },
  );
  made.set(version.schema, type);
  return type;
}
