import type { ApiError } from '../errors/api-error.js';
import { badRequest } from '../errors/status-errors.js';
import { type GoMap, type GoValue, goTypeOf, showAsString, showGoValue } from './go-value.js';

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
