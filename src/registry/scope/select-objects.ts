import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { quote } from '../../apimachinery/go/go-string.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';
import { type FieldSelector, parseFieldSelector } from '../../apimachinery/selectors/field-selector.js';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.js';
import { type ShardSelector, parseShardSelector } from '../../apimachinery/selectors/shard-selector.js';
import { validateDnsLabel } from '../../apimachinery/validation/names.js';
import type { KeyRange, ObjectKey, Predicate, StoredObject } from '../../storage/object-store.js';
import { storedLabels } from '../objects/stored-codec.js';
import type { ResourceDefinition } from '../resource/resource-definition.js';
import type { RequestTarget } from '../resource/resource-store.js';
import { type ResourceScope, namespaceOf } from './resource-scope.js';

/** What selects objects knows of their resource. */
export type SelectionScope = Pick<ResourceScope, 'definition' | 'storageResource' | 'codec'>;

/** The objects that a list, watch or deletecollection selects. */
export interface Selection {
  readonly range: KeyRange;
  /** The conditions that the range does not express; absent: none. */
  readonly predicate?: Predicate;
  /** Whether any selector applies, in which case pages carry no remainingItemCount. */
  readonly filtered: boolean;
  readonly shard?: ShardSelector;
  /** What the predicate requires of single fields. */
  readonly equal: Readonly<Record<string, string>>;
}

/**
 * Parses the selectors of a request. Errors come in upstream's order: syntax, field names, the name in the URL, shards. Selectors for one
 * namespace or name narrow the key range (registry/generic/registry/store.go ListPredicate). Throws the 400.
 */
export function selectObjects(scope: SelectionScope, target: RequestTarget, options: ListOptions): Selection {
  const { labels, fields } = parseSelectors(scope.definition, options);
  const name = pinnedName(fields, target.name);
  const shard = options.shardSelector === '' ? undefined : parseShardSelector(options.shardSelector);
  const predicates: Predicate[] = [];
  if (!fields.isEmpty) predicates.push(fieldPredicate(scope, fields));
  if (!labels.isEmpty) predicates.push((object) => labels.matches(storedLabels(object)));
  if (shard) predicates.push((object) => shard.matches(object.uid, object.key.namespace));
  const filtered = predicates.length > 0 || name !== undefined;
  return {
    range: narrowedRange(scope, target, fields, name || undefined),
    predicate: all(predicates),
    filtered,
    shard,
    equal: fields.exactValues,
  };
}

/** Throws the 400 for the syntax of a selector or the name of a field. */
export function parseSelectors(definition: ResourceDefinition, { labelSelector, fieldSelector }: ListOptions) {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  checkFieldNames(definition, fields);
  return { labels, fields };
}

/** The single name that URL or field selector ask for; throws the 400 if they differ (apiserver handlers/get.go). */
function pinnedName(fields: FieldSelector, urlName: string): string | undefined {
  const selected = fields.exactValue('metadata.name');
  if (urlName === '') return selected;
  if (!fields.isEmpty && selected !== urlName) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return urlName;
}

function narrowedRange(scope: SelectionScope, target: RequestTarget, fields: FieldSelector, name: string | undefined): KeyRange {
  const resource = scope.storageResource;
  if (!scope.definition.namespaced) return name === undefined ? { resource } : { resource, namespace: '', name };
  const namespace = namespaceOf(scope, target) || selectedNamespace(fields);
  if (namespace === undefined) return { resource };
  return name === undefined ? { resource, namespace } : { resource, namespace, name };
}

function selectedNamespace(fields: FieldSelector): string | undefined {
  const namespace = fields.exactValue('metadata.namespace');
  return namespace !== undefined && validateDnsLabel(namespace).length === 0 ? namespace : undefined;
}

function all(predicates: readonly Predicate[]): Predicate | undefined {
  if (predicates.length < 2) return predicates[0];
  return (object) => predicates.every((matches) => matches(object));
}

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'];

/** Throws the 400 if the resource cannot be selected by a field (upstream: runtime.FieldLabelConversionFunc). */
function checkFieldNames(definition: ResourceDefinition, fields: FieldSelector): void {
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
