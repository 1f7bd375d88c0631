import { compareText, escapeHtml, quote, sortKeys } from '../../go/go-string.js';

/**
 * One element of a path, in the text form of FieldsV1's JSON keys (structured-merge-diff fieldpath/serialize-pe.go): `f:name` is a field,
 * `k:{"uid":"u"}` the list item with these key fields, `v:"x"` a set item, `i:3` an index. The text is canonical, so equal elements are
 * equal strings; everything in this folder compares them with `===`.
 */
export type PathElement = string;

/** A path from the root of an object. */
export type FieldPath = readonly PathElement[];

/** Invalid FieldsV1. */
export class FieldsV1Error extends Error {
  override readonly name = 'FieldsV1Error';
}

/** The element of a struct field or map key. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The element of an item in a set, given by its value. */
export function valueElement(value: unknown): PathElement {
  return `v:${toGoJson(value)}`;
}

/** The element of an item in a keyed list. `names` are the key fields that the item has; they are sorted here. */
export function keyElement(names: readonly string[], item: Readonly<Record<string, unknown>>): PathElement {
  const sorted = names.length === 1 ? names : [...names].sort(compareText);
  return `k:{${sorted.map((name) => `${toGoJson(name)}:${toGoJson(item[name])}`).join(',')}}`;
}

/** Parses a key of FieldsV1 to its canonical form; undefined for unknown types of elements, which a later version may define. */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new FieldsV1Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new FieldsV1Error(`missing colon: ${text}`);
  switch (text.charAt(0)) {
    case 'f':
      return text;
    case 'v':
      return valueElement(parseJson(text));
    case 'k': {
      const item = parseJson(text);
      if (typeof item !== 'object' || item === null || Array.isArray(item)) throw new FieldsV1Error(`not an object: ${text}`);
      return keyElement(Object.keys(item), item as Record<string, unknown>);
    }
    case 'i':
      if (!/^[+-]?[0-9]+$/.test(text.slice(2))) throw new FieldsV1Error(`not an index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

/** Sorts elements as in serialized sets: fields, keyed items, set items, indexes; each by its content. */
export function sortPathElements(elements: Iterable<PathElement>): PathElement[] {
  const classes: Record<string, PathElement[]> = { f: [], k: [], v: [], i: [] };
  for (const element of elements) classes[element.charAt(0)]?.push(element);
  const { f = [], k = [], v = [], i = [] } = classes;
  return [...sortKeys(f), ...sortKeyed(k), ...sortValues(v), ...i.sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)))];
}

function sortKeyed(elements: readonly PathElement[]): PathElement[] {
  return elements
    .map((element) => ({ element, content: parseJson(element) as Record<string, unknown> }))
    .sort((a, b) => compareKeys(a.content, b.content))
    .map(({ element }) => element);
}

function sortValues(elements: readonly PathElement[]): PathElement[] {
  const contents = elements.map(parseJson);
  const sorted = contents.every((content) => typeof content === 'string') ? sortKeys(contents) : contents.sort(compareValues);
  return sorted.map(valueElement);
}

/** Formats a path for conflicts and errors: `.metadata.ownerReferences[uid="u"]`. */
export function renderPath(path: FieldPath): string {
  return path.map(renderPathElement).join('');
}

/** Formats an element for upstream's error texts: `.name`, `[name="a"]`, `[="a"]`, `[0]`. */
export function renderPathElement(element: PathElement): string {
  switch (element.charAt(0)) {
    case 'k':
      return `[${Object.entries(parseJson(element) as Record<string, unknown>)
        .map(([name, value]) => `${name}=${renderScalar(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${renderScalar(parseJson(element))}]`;
    case 'i':
      return `[${element.slice(2)}]`;
    default:
      return `.${element.slice(2)}`;
  }
}

function compareKeys(a: Record<string, unknown>, b: Record<string, unknown>): number {
  const left = Object.entries(a);
  const right = Object.entries(b);
  for (let at = 0; at < left.length && at < right.length; at++) {
    const [leftName, leftValue] = left[at] as [string, unknown];
    const [rightName, rightValue] = right[at] as [string, unknown];
    const order = compareText(leftName, rightName) || compareValues(leftValue, rightValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function renderScalar(value: unknown): string {
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

function parseJson(element: string): unknown {
  try {
    return JSON.parse(element.slice(2)) as unknown;
  } catch (cause) {
    throw new FieldsV1Error(`parsing key as path element: ${element}`, { cause });
  }
}

function toGoJson(value: unknown): string {
  return escapeHtml(JSON.stringify(value));
}

/** Whether two JSON values are equal; numbers are compared by value, objects regardless of order. Absent (undefined) differs from null. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => equalValues(item, b[at]));
  }
  return equalObjects(a as Record<string, unknown>, b as Record<string, unknown>);
}

function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let size = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    // Inherited properties equal no JSON value, or are caught by the count of keys.
    if (value !== b[key] && !equalValues(value, b[key])) return false;
    size++;
  }
  for (const key in b) if (b[key] !== undefined) size--;
  return size === 0;
}

/** The value under a key chosen by a client, which may be the name of an inherited property. */
export function ownValue(map: Readonly<Record<string, unknown>> | null | undefined, key: string): unknown {
  return map !== null && map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** A total order of JSON values: numbers, strings, booleans, lists, objects, null (structured-merge-diff value/value.go). */
function compareValues(a: unknown, b: unknown): number {
  const order = rank(a) - rank(b);
  if (order !== 0) return order;
  if (typeof a === 'string') return compareText(a, b as string);
  if (typeof a === 'number') return a - (b as number);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (a === null) return 0;
  if (Array.isArray(a)) return compareLists(a, b as unknown[]);
  return compareText(JSON.stringify(a), JSON.stringify(b));
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const order = compareValues(a[at], b[at]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function rank(value: unknown): number {
  if (value === null || value === undefined) return 5;
  const scalar = SCALAR_TYPES.indexOf(typeof value);
  if (scalar >= 0) return scalar;
  return Array.isArray(value) ? 3 : 4;
}

const SCALAR_TYPES: readonly string[] = ['number', 'string', 'boolean'];
