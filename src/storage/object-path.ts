import type { KeyRange, ObjectKey } from './object-store.js';

/** The key of an object within its resource, by which lists are sorted: `namespace/name`, or `name` for cluster-scoped objects. */
export function objectPath(key: ObjectKey): string {
  return key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}

/** Compares by UTF-8 bytes. UTF-16 order differs only in that surrogates, which represent the highest code points, sort too low. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Paths with `from <= path` and, if `to` is set, `path < to`. */
export interface PathBounds {
  readonly from: string;
  readonly to?: string;
}

/** The paths of a range, from its beginning or from `start`, which is relative to the range (ListOptions.start). */
export function pathBounds(range: KeyRange, start = ''): PathBounds {
  const prefix = range.namespace ? `${range.namespace}/` : '';
  if (range.name !== undefined) {
    const path = prefix + range.name;
    const from = prefix + start;
    return { from: comparePaths(from, path) > 0 ? from : path, to: `${path}\0` };
  }
  // '0' is the character after '/'
  return prefix === '' ? { from: start } : { from: prefix + start, to: `${range.namespace}0` };
}

/** Whether an object with this key belongs to the range. */
export function inRange(range: KeyRange, key: ObjectKey): boolean {
  return (
    range.resource === key.resource &&
    (!range.namespace || range.namespace === key.namespace) &&
    (range.name === undefined || (range.name === key.name && (range.namespace ?? '') === key.namespace))
  );
}
