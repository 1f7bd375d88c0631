import { quote } from '../../go/quote.js';
import { compareText } from '../../go/compare-text.js';
import { escapeHtml, sortKeys } from '../../go/go-string.js';
import { compareValues } from './compare-values.js';

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
