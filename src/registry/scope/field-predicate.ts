import { quote } from '../../apimachinery/go/quote.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { FieldSelector } from '../../apimachinery/selectors/field-selector.js';
import type { ObjectKey, Predicate } from '../../storage/object-store.js';
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

/** Compiles a field selector. Objects are decoded only for fields that their keys do not tell. */
export function fieldPredicate<T extends KubeObject>(
  { definition, codec }: Pick<ResourceScope<T>, 'definition' | 'codec'>,
  fields: FieldSelector,
): Predicate {
  const ofKey = ({ namespace, name }: ObjectKey) => ({
    ...definition.keyFields?.(name),
    'metadata.name': name,
    'metadata.namespace': namespace,
  });
  const known = Object.keys(ofKey({ resource: '', namespace: '', name: '' }));
  const keyTells = fields.requirements.every(({ field }) => known.includes(field));
  if (!definition.selectableFields || keyTells) return ({ key }) => fields.matches(ofKey(key));
  return (object) => fields.matches({ ...definition.selectableFields?.(codec.decode(object)), ...ofKey(object.key) });
}
