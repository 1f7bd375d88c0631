import { quote } from '../../apimachinery/go/quote.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { FieldSelector } from '../../apimachinery/selectors/field-selector.js';
import type { Predicate, StoredObject } from '../../storage/object-store.js';
import type { ResourceDefinition } from '../resource/resource-definition.js';
import type { ResourceScope } from './resource-scope.js';

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'];

/** Throws the 400 if the resource cannot be selected by a field (upstream: runtime.FieldLabelConversionFunc). */
export function checkFieldNames(definition: ResourceDefinition, fields: FieldSelector): void {
  const { selectableFieldNames } = definition;
  for (const { field } of fields.requirements) {
    if ((selectableFieldNames ?? METADATA_FIELDS).includes(field)) continue;
    if (selectableFieldNames) throw badRequest(`field label not supported: ${field}`);
    throw badRequest(`${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
  }
}

/** Compiles a field selector. Name and namespace come from the key; only other fields need the object decoded. */
export function fieldPredicate<T extends KubeObject>({ definition, codec }: ResourceScope<T>, fields: FieldSelector): Predicate {
  if (!definition.selectableFields || fields.requirements.every(({ field }) => METADATA_FIELDS.includes(field))) {
    return (object) => fields.matches(metadataFields(object));
  }
  return (object) => fields.matches({ ...definition.selectableFields?.(codec.decode(object)), ...metadataFields(object) });
}

function metadataFields({ key }: StoredObject): Readonly<Record<string, string>> {
  return { 'metadata.name': key.name, 'metadata.namespace': key.namespace };
}
