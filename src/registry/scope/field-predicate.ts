import { quote } from '../../apimachinery/go/go-string.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { FieldSelector } from '../../apimachinery/selectors/field-selector.js';
import type { ObjectKey, Predicate, StoredObject } from '../../storage/object-store.js';
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
  const recent = recentFieldsOf(definition);
  const decode = (object: StoredObject) => definition.selectableFields?.(codec.decode(object)) ?? {};
  return (object) => fields.matches({ ...recent.of(object, decode), ...ofKey(object.key) });
}

type Fields = Readonly<Record<string, string>>;

/** An event has the new and the previous state of its object, and all watchers are asked about one event before the next. */
const RECENT = 2;

/** The fields of the last objects, so that a large one is decoded once and not for each watcher. */
class RecentFields {
  #entries: readonly { readonly object: StoredObject; readonly fields: Fields }[] = [];

  of(object: StoredObject, decode: (object: StoredObject) => Fields): Fields {
    const known = this.#entries.find((entry) => entry.object === object);
    if (known) return known.fields;
    const fields = decode(object);
    this.#entries = [{ object, fields }, ...this.#entries.slice(0, RECENT - 1)];
    return fields;
  }
}

const recentFields = new WeakMap<object, RecentFields>();

/** Versions of a resource have definitions, and fields, of their own. */
function recentFieldsOf(definition: object): RecentFields {
  const recent = recentFields.get(definition) ?? new RecentFields();
  recentFields.set(definition, recent);
  return recent;
}
