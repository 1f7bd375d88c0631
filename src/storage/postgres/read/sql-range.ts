import { pathBounds } from '../../object-path.js';
import type { KeyRange } from '../../object-store.js';

/** `from <= path < to`, with values that PostgreSQL can represent. */
export interface SqlRange {
  readonly resource: string;
  readonly from: string;
  readonly to: string;
}

/** Sorts after every path: the highest code point. */
const END = '\u{10ffff}\u{10ffff}';

/** The paths of a range, from its first one or from `start`, relative to the range (ListOptions.start). */
export function sqlRange(range: KeyRange, start?: string): SqlRange {
  const { from, to } = pathBounds(range, start);
  return { resource: range.resource, from: withoutNul(from), to: to === undefined ? END : withoutNul(to) };
}

/** The paths of the range after this one. */
export function behind(range: SqlRange, path: string): SqlRange {
  return { ...range, from: withoutNul(`${path}\0`) };
}

/** PostgreSQL's text cannot contain NUL, and paths do not: they compare to `a\0...` as they do to `a\u0001`. */
function withoutNul(bound: string): string {
  const nul = bound.indexOf('\0');
  return nul < 0 ? bound : `${bound.slice(0, nul)}\u0001`;
}
