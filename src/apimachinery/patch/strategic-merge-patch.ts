import { badRequest } from '../errors/status-errors.js';
import { quote } from '../go/go-string.js';
import type { Field, ListType, SchemaType, StructType } from '../schema/struct-type.js';
import {
  DELETE_FROM_LIST,
  DIRECTIVE,
  SET_ORDER,
  applyRetainKeys,
  badArgument,
  checkPatchOrder,
  directiveField,
  discardNulls,
  holdMaps,
  identity,
  keyedItem,
  noMergeKey,
  orderElements,
  positionsOf,
  removeDirectives,
  unknownPatchType,
} from './element-order.js';
import { type GoMap, type GoValue, goTypeOf } from './go-value.js';

/**
 * Applies a strategic merge patch to an object of a type (apimachinery pkg/util/strategicpatch StrategicMergeMapPatch). Both maps are
 * modified, and the result shares parts with them; upstream shows the patch in its modified form. Throws the 400 or 422.
 */
export function applyStrategicMergePatch(original: GoMap, patch: GoMap, type: StructType): GoMap {
  return mergeMap(original, patch, type);
}

function mergeMap(original: GoMap, patch: GoMap, type: SchemaType): GoMap {
  const directive = patch.get(DIRECTIVE);
  if (directive !== undefined) return replacement(directive, patch);
  applyRetainKeys(original, patch);
  for (const key of [...patch.keys()]) if (key.startsWith(SET_ORDER)) mergeOrdered(original, patch, key, type);
  for (const [key, value] of patch) {
    const deletes = key.startsWith(DELETE_FROM_LIST);
    const field = deletes ? directiveField(key, DELETE_FROM_LIST) : key;
    if (value === null) original.delete(field);
    else if (deletes) deleteFromMember(original, field, value, type);
    else mergeMember(original, field, value, type);
  }
  return original;
}

function replacement(directive: GoValue, patch: GoMap): GoMap {
  if (directive === 'delete') return new Map();
  if (directive !== 'replace') throw unknownPatchType(directive, patch);
  patch.delete(DIRECTIVE);
  return patch;
}

function mergeMember(original: GoMap, key: string, value: GoValue, type: SchemaType): void {
  const previous = original.get(key);
  if (previous instanceof Map && value instanceof Map) {
    original.set(key, mergeMap(previous, value, memberType(type, key)));
  } else if (Array.isArray(previous) && Array.isArray(value)) {
    const metadata = listMetadata(type, key);
    original.set(key, metadata.merges ? mergeList(previous, value, metadata) : value);
  } else {
    if (previous === undefined || previous === null || goTypeOf(previous) !== goTypeOf(value)) discardNulls(value);
    const kept = removeDirectives(value);
    if (kept === undefined) original.delete(key);
    else original.set(key, kept);
  }
}

/** The directive ignores values of another type, and everything except lists of primitives is merged as if the directive were absent. */
function deleteFromMember(original: GoMap, key: string, value: GoValue, type: SchemaType): void {
  const previous = original.get(key);
  if (previous === undefined || goTypeOf(previous) !== goTypeOf(value)) return;
  if (!Array.isArray(previous) || !Array.isArray(value)) return mergeMember(original, key, value, type);
  const metadata = listMetadata(type, key);
  if (previous.length === 0 && value.length === 0) return;
  original.set(key, holdMaps(previous, value) ? mergeList(previous, value, metadata) : without(previous, value));
}

function without(items: readonly GoValue[], deleted: readonly GoValue[]): GoValue[] {
  const ids = new Set(deleted.map((item) => identity(item, '')));
  return items.filter((item) => !ids.has(identity(item, '')));
}

function mergeList(original: GoValue[], patch: GoValue[], metadata: ListMetadata): GoValue[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (!holdMaps(original, patch)) return orderElements(distinct([...original, ...patch]), patch, original, { mergeKey: '', maps: false });
  if (metadata.mergeKey === '') throw badRequest('cannot merge lists without merge key for struct');
  const { items, kept } = takeDirectives(original, patch, metadata.mergeKey);
  return orderElements(mergeItems(kept, items, metadata), items, kept, { mergeKey: metadata.mergeKey, maps: true });
}

function distinct(items: readonly GoValue[]): GoValue[] {
  return [...positionsOf(items, '').values()].map((index) => items[index] ?? null);
}

/** Processes the special items of the patch. Returns what is `kept` of the original, and the other `items` of the patch. */
function takeDirectives(original: GoValue[], patch: readonly GoValue[], mergeKey: string): { items: GoValue[]; kept: GoValue[] } {
  const items: GoValue[] = [];
  const deleted = new Set<unknown>();
  let replaces = false;
  for (const item of patch as GoMap[]) {
    const directive = item.get(DIRECTIVE);
    if (directive === undefined) items.push(item);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'delete') deleted.add(identity(keyedItem(item, mergeKey), mergeKey));
    else if (directive === 'merge') throw badRequest('merging lists cannot yet be specified in the patch');
    else throw unknownPatchType(directive, item);
  }
  if (replaces) return { items: [], kept: items };
  return { items, kept: original.filter((item) => !(item instanceof Map && item.has(mergeKey) && deleted.has(identity(item, mergeKey)))) };
}

function mergeItems(original: readonly GoValue[], patch: readonly GoValue[], { items, mergeKey }: ListMetadata): GoValue[] {
  const merged = [...original];
  const positions = positionsOf(merged, mergeKey);
  for (const item of patch as GoMap[]) {
    if (!item.has(mergeKey)) throw noMergeKey(item, mergeKey);
    const id = identity(item, mergeKey);
    const position = positions.get(id);
    const previous = position === undefined ? undefined : merged[position];
    if (position !== undefined && previous instanceof Map) merged[position] = mergeMap(previous, item, items);
    else positions.set(id, merged.push(item) - 1);
  }
  return merged;
}

/** `$setElementOrder/<field>`: merges that list and orders it. */
function mergeOrdered(original: GoMap, patch: GoMap, directive: string, type: SchemaType): void {
  const order = patch.get(directive) ?? null;
  patch.delete(directive);
  if (!Array.isArray(order)) throw badArgument('list', order);
  const key = directiveField(directive, SET_ORDER);
  const previous = listMember(original, key);
  const changes = listMember(patch, key);
  const metadata = listMetadata(type, key);
  checkPatchOrder(changes ?? [], order, metadata.mergeKey);
  const merged = mergedForOrder(previous, changes, metadata);
  if (merged === undefined) return;
  const maps = holdMaps(previous ?? [], changes ?? []);
  original.set(key, orderElements(merged, order, previous ?? [], { mergeKey: metadata.mergeKey, maps }));
  patch.delete(key);
}

function mergedForOrder(previous: GoValue[] | undefined, changes: GoValue[] | undefined, metadata: ListMetadata): GoValue[] | undefined {
  if (previous && changes) return metadata.merges ? mergeList(previous, changes, metadata) : changes;
  return previous ?? (changes && (removeDirectives(changes) as GoValue[]));
}

function listMember(map: GoMap, key: string): GoValue[] | undefined {
  const value = map.get(key);
  if (value === undefined || Array.isArray(value)) return value;
  throw badArgument('list', value);
}

/** How a strategic merge patch merges the items of a list. */
interface ListMetadata {
  readonly items: SchemaType;
  readonly merges: boolean;
  /** '' for lists of primitives. */
  readonly mergeKey: string;
}

/** The type of a member that both patch and object contain. Throws a 400 where upstream returns 500. */
function memberType(type: SchemaType, key: string): SchemaType {
  return lookUp(type, key).type;
}

/** Like `memberType`, for a list (apimachinery pkg/util/strategicpatch/meta.go). */
function listMetadata(type: SchemaType, key: string): ListMetadata {
  const field = lookUp(type, key);
  if (field.type.kind === 'list') return ofList(field.type);
  if (field.presence === 'optional') return { items: field.type, merges: false, mergeKey: '' };
  throw badRequest(`expected slice or array type, but got: ${goKind(type)}`);
}

function ofList({ items, patchStrategy, patchMergeKey }: ListType): ListMetadata {
  return { items, merges: patchStrategy === 'merge', mergeKey: patchMergeKey ?? '' };
}

/** Names are matched as in Go's JSON library: exactly, or else in any case. */
function lookUp(type: SchemaType, key: string): Field {
  if (type.kind !== 'struct') throw badRequest(`merging an object in json but data type is not struct, instead is: ${goKind(type)}`);
  const folded = key.toLowerCase();
  const field = type.fields.find(({ name }) => name === key) ?? type.fields.find(({ name }) => name.toLowerCase() === folded);
  if (field) return field;
  throw badRequest(`unable to find api field in struct ${type.goName} for the json field ${quote(key)}`);
}

function goKind(type: SchemaType): string {
  if (type.kind === 'scalar') return type.scalar === 'time' || type.scalar === 'microTime' ? 'struct' : type.scalar;
  return type.kind === 'list' ? 'slice' : type.kind === 'map' ? 'map' : 'struct';
}
