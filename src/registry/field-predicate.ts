import { quote } from '../apimachinery/errors/field-error.js';
import { badRequest } from '../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { FieldSelector } from '../apimachinery/selectors/field-selector.js';
import type { Predicate, StoredObject } from '../storage/object-store.js';
import type { ResourceDefinition } from './resource-definition.js';
import type { ResourceScope } from './resource-scope.js';

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'];

/** Refuses fields that the resource cannot be selected by (upstream: runtime.FieldLabelConversionFunc). */
export function checkFieldNames(definition: ResourceDefinition, fields: FieldSelector): void {
  const { selectableFieldNames } = definition;
  for (const { field } of fields.requirements) {
    if ((selectableFieldNames ?? METADATA_FIELDS).includes(field)) continue;
    if (selectableFieldNames) throw badRequest(`field label not supported: ${field}`);
    throw badRequest(`${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
  }
}

/** Name and namespace are read off the key; only other fields need the object. */
export function fieldPredicate<T extends KubeObject>({ definition, codec }: ResourceScope<T>, fields: FieldSelector): Predicate {
  if (!definition.selectableFields || fields.requirements.every(({ field }) => METADATA_FIELDS.includes(field))) {
    return (object) => fields.matches(metadataFields(object));
  }
  return (object) => fields.matches({ ...definition.selectableFields?.(codec.decode(object)), ...metadataFields(object) });
}

function metadataFields({ key }: StoredObject): Readonly<Record<string, string>> {
  return { 'metadata.name': key.name, 'metadata.namespace': key.namespace };
}
