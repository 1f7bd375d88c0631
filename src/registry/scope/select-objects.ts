import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { type FieldSelector, parseFieldSelector } from '../../apimachinery/selectors/field-selector.js';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.js';
import { type ShardSelector, parseShardSelector } from '../../apimachinery/selectors/shard-selector.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';
import { validateDnsLabel } from '../../apimachinery/validation/names.js';
import type { KeyRange, Predicate } from '../../storage/object-store.js';
import { checkFieldNames, fieldPredicate } from './field-predicate.js';
import { type ResourceScope, namespaceOf } from './resource-scope.js';
import type { ResourceDefinition } from '../resource/resource-definition.js';
import type { RequestTarget } from '../resource/resource-store.js';
import { storedLabels } from '../objects/stored-labels.js';

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
