import type { ListMergeType } from './merge-type.js';
import { type PathElement, keyElement, valueElement } from '../fieldpath/path-element.js';

/** The reason why a list item has no identity; the text is upstream's (structured-merge-diff typed/helpers.go). */
export class ListItemError extends Error {
  override readonly name = 'ListItemError';
}

/** The path element of an item in a set or keyed list. Throws ListItemError. */
export function listItemElement(type: ListMergeType, item: unknown): PathElement {
  return type.semantics === 'map' ? keyedItemElement(type, item) : setItemElement(item);
}

/** The element of items without an identity, which no set of an object contains. */
const NONE: PathElement = '';

/** The path element of an item of an object as it is being pruned, which may have lost its identity; all of these share one. */
export function elementOrNone(type: ListMergeType, item: unknown): PathElement {
  try {
    return listItemElement(type, item);
  } catch (error) {
    if (error instanceof ListItemError) return NONE;
    throw error;
  }
}

function keyedItemElement(type: ListMergeType, item: unknown): PathElement {
  if (item === null || item === undefined) throw new ListItemError('associative list with keys may not have a null element');
  if (typeof item !== 'object' || Array.isArray(item)) {
    throw new ListItemError('associative list with keys may not have non-map elements');
  }
  const keys: Record<string, unknown> = {};
  for (const { name, zero } of type.keys) {
    const given = (item as Record<string, unknown>)[name];
    // a null is a key, too
    const value = given === undefined ? zero : given;
    if (value !== undefined) keys[name] = value;
  }
  const names = Object.keys(keys);
  if (names.length > 0) return keyElement(names, keys);
  const quoted = type.keys.map(({ name }) => `"${name}"`).join(' ');
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields [${quoted}] (and doesn't have default values for any key fields)`,
  );
}

function setItemElement(item: unknown): PathElement {
  if (item === null || item === undefined) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw new ListItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}
