import type { ApiError } from '../errors/api-error.js';
import { badRequest } from '../errors/status-errors.js';
import { type GoMap, type GoValue, goTypeOf, showAsString, showGoValue } from './go-value.js';
import { patchDoesNotApply } from './patch-errors.js';

/** The identity of an item: the value of its merge key, or the item itself. As in Go, values of different types differ. */
export function identity(item: GoValue, mergeKey: string): unknown {
  const value = mergeKey === '' ? item : item instanceof Map ? (item.get(mergeKey) ?? null) : null;
  return typeof value === 'object' ? value : `${typeof value} ${String(value)}`;
}

/** The item as a map with the merge key; throws the error if it lacks the key. */
export function keyedItem(item: GoValue, mergeKey: string): GoMap {
  if (!(item instanceof Map)) throw badArgument('map', item);
  if (!item.has(mergeKey)) throw noMergeKey(item, mergeKey);
  return item;
}

/** Whether the lists contain maps; throws unless all items have the same type. */
export function holdMaps(...lists: (readonly GoValue[])[]): boolean {
  let type: string | undefined;
  for (const item of lists.flat(1)) {
    const found = item === null ? 'nil' : goTypeOf(item);
    type ??= found;
    if (Array.isArray(item) && type === found) throw patchDoesNotApply();
    if (found !== type || item === null) {
      throw badRequest(`list element types are not identical: [${lists.map((list) => showGoValue([...list])).join(' ')}]`);
    }
  }
  if (type === undefined) throw badRequest('no elements in any of the given slices');
  return type.startsWith('map');
}

/** The first index of each item. */
export function positionsOf(list: readonly GoValue[], mergeKey: string): Map<unknown, number> {
  const positions = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const id = identity(item, mergeKey);
    if (!positions.has(id)) positions.set(id, index);
  }
  return positions;
}

/**
 * Orders a merged list: items named in `patchOrder` in its order, the others in that of `serverOrder`, and the two interleaved such that
 * items keep their order in `serverOrder` where it defines one, and the patch's come first where it does not (apimachinery
 * pkg/util/strategicpatch normalizeElementOrder). Maps need the merge key, even where the type declares none: upstream's answer to some of those is a panic.
 */
export function orderElements(
  merged: readonly GoValue[],
  patchOrder: readonly GoValue[],
  serverOrder: readonly GoValue[],
  { mergeKey, maps }: { readonly mergeKey: string; readonly maps: boolean },
): GoValue[] {
  if (maps) for (const item of [...merged, ...patchOrder, ...serverOrder]) keyedItem(item, mergeKey);
  const inPatch = positionsOf(patchOrder, mergeKey);
  const onServer = positionsOf(serverOrder, mergeKey);
  const named = merged.filter((item) => inPatch.has(identity(item, mergeKey)));
  const others = merged.filter((item) => !inPatch.has(identity(item, mergeKey)));
  return interleave(sorted(others, onServer, mergeKey), sorted(named, inPatch, mergeKey), onServer, mergeKey);
}

/** Up to this length, Go's SliceStable is an insertion sort. */
const INSERTION_SORTED = 20;

/**
 * Sorts like upstream, whose comparison treats an item without a position as less than every other item, and every other as less than it
 * (normalizeSliceOrder). The result depends on the algorithm, which is reproduced for lists of usual length.
 */
function sorted(items: readonly GoValue[], positions: ReadonlyMap<unknown, number>, mergeKey: string): GoValue[] {
  const position = (item: GoValue) => positions.get(identity(item, mergeKey));
  if (items.length > INSERTION_SORTED) return [...items].sort((a, b) => (position(a) ?? -1) - (position(b) ?? -1));
  const result: GoValue[] = [];
  for (const item of items) {
    const own = position(item);
    const isLess = (other: GoValue) => own === undefined || own < (position(other) ?? Infinity);
    result.splice(result.findLastIndex((other) => !isLess(other)) + 1, 0, item);
  }
  return result;
}

function interleave(
  others: readonly GoValue[],
  named: readonly GoValue[],
  positions: ReadonlyMap<unknown, number>,
  mergeKey: string,
): GoValue[] {
  const result: GoValue[] = [];
  let next = 0;
  for (const item of named) {
    const limit = positions.get(identity(item, mergeKey));
    for (; next < others.length; next++) {
      const other = others[next] ?? null;
      const position = positions.get(identity(other, mergeKey));
      if (limit === undefined || position === undefined || position >= limit) break;
      result.push(other);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** Throws a 400 unless `$setElementOrder` contains everything that the patch sets, in the patch's order. */
export function checkPatchOrder(patch: readonly GoValue[], order: readonly GoValue[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = mergeKey === '' ? patch : patch.filter((item) => !isDeletion(item));
  let next = 0;
  for (const item of items) {
    if (item instanceof Map && item.has(DIRECTIVE)) continue;
    while (next < order.length && !sameItem(item, order[next] ?? null, mergeKey)) next++;
    if (next++ < order.length) continue;
    throw badRequest(
      `The order in patch list:\n${showGoValue([...patch])}\n doesn't match $setElementOrder list:\n${showGoValue([...order])}\n`,
    );
  }
}

function isDeletion(item: GoValue): boolean {
  if (!(item instanceof Map)) throw badArgument('map', item);
  return item.get(DIRECTIVE) === 'delete';
}

function sameItem(item: GoValue, other: GoValue, mergeKey: string): boolean {
  if (mergeKey !== '') {
    keyedItem(item, mergeKey);
    keyedItem(other, mergeKey);
  }
  return identity(item, mergeKey) === identity(other, mergeKey);
}

/** Key of the directive `replace`, `merge` or `delete`, which applies to the map or item that contains it. */
export const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
/** Prefix of keys that list the primitives to delete from the list named after the slash. */
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
/** Prefix of keys that define the order of the list named after the slash. */
export const SET_ORDER = '$setElementOrder';

/** Errors of apimachinery pkg/util/mergepatch/errors.go; most of them are 500 upstream. */
const badOrderFormat = () => badRequest('invalid patch format of setElementOrder list');
const badRetainKeysFormat = () => badRequest('invalid patch format of retainKeys');

/** The 400 for an unknown value of `$patch`. */
export function unknownPatchType(directive: GoValue, map: GoMap): ApiError {
  return badRequest(`unknown patch type: ${showAsString(directive)} in map: ${showGoValue(map)}`);
}

/** The 400 (500 upstream) for an item of a keyed list that lacks its merge key. */
export function noMergeKey(map: GoMap, mergeKey: string): ApiError {
  return badRequest(`map: ${showGoValue(map)} does not contain declared merge key: ${mergeKey}`);
}

/** The 400 for a value that is not the required map or list. */
export function badArgument(expected: 'map' | 'list', actual: GoValue): ApiError {
  const type = expected === 'map' ? 'map[string]interface {}' : '[]interface {}';
  return badRequest(`expected a ${type}, but received a ${actual === null ? '%!s(<nil>)' : goTypeOf(actual)}`);
}

/** Extracts `finalizers` from `$setElementOrder/finalizers`. */
export function directiveField(key: string, prefix: typeof DELETE_FROM_LIST | typeof SET_ORDER): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  throw prefix === SET_ORDER ? badOrderFormat() : badRequest('invalid patch format of primitive list');
}

/**
 * Removes maps with directives from a new value, including its lists, because there is nothing they could apply to. Changes maps in place.
 */
export function removeDirectives(value: GoValue): GoValue | undefined {
  if (Array.isArray(value)) return value.map(removeDirectives).filter((item) => item !== undefined);
  if (!(value instanceof Map)) return value;
  if (value.has(DIRECTIVE)) return undefined;
  for (const [key, member] of value) {
    const kept = removeDirectives(member);
    if (kept === undefined) value.delete(key);
    else value.set(key, kept);
  }
  return value;
}

/** Removes null members from a new value, because there is nothing they could delete. Changes maps in place; nulls in lists stay. */
export function discardNulls(value: GoValue): void {
  if (Array.isArray(value)) value.forEach(discardNulls);
  else if (value instanceof Map) {
    for (const [key, member] of value) {
      if (member === null) value.delete(key);
      else discardNulls(member);
    }
  }
}

/** Applies `$retainKeys`: removes the keys of the original that it does not list. Throws a 400 if it omits a key that the patch sets. */
export function applyRetainKeys(original: GoMap, patch: GoMap): void {
  const retained = patch.get(RETAIN_KEYS);
  if (retained === undefined) return;
  patch.delete(RETAIN_KEYS);
  if (!Array.isArray(retained)) throw badRetainKeysFormat();
  const kept = new Set<unknown>(retained);
  for (const [key, value] of patch) {
    if (value === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER)) continue;
    if (!kept.has(key)) throw badRetainKeysFormat();
  }
  for (const key of original.keys()) if (!kept.has(key)) original.delete(key);
}
