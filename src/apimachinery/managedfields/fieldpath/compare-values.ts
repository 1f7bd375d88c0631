import { compareText } from '../../go/compare-text.js';

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
export function compareValues(a: unknown, b: unknown): number {
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
