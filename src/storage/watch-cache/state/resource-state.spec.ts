import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { comparePaths } from '../../object-path.js';
import { type PathEntry, OrderedPaths } from './resource-state.js';

const entry = (path: string): PathEntry => ({ path });
const ordered = (sorted: readonly string[] = []) => new OrderedPaths(sorted.map(entry));

const from = (paths: OrderedPaths<PathEntry>, start = '', to?: string): string[] => {
  const seen: string[] = [];
  paths.scan(start, to, ({ path }) => seen.push(path) > 0);
  return seen;
};
const name = (i: number) => `ns/node-${String(i).padStart(6, '0')}`;

describe('OrderedPaths', () => {
  it('agrees with a sorted array after any additions and deletions', () => {
    const path = fc.string({ unit: fc.constantFrom('a', 'b', '-', '/', '\0', '\u{1f600}', '\u{ffff}'), maxLength: 4 });
    const step = fc.record({ add: fc.boolean(), path });
    fc.assert(
      fc.property(fc.array(path), fc.array(step, { maxLength: 60 }), path, (initial, steps, probe) => {
        const model = new Set(initial);
        const paths = ordered([...model].sort(comparePaths));
        for (const { add, path: changed } of steps) {
          if (!add) paths.delete(changed);
          else if (!model.has(changed)) paths.add(entry(changed));
          if (add) model.add(changed);
          else model.delete(changed);
        }
        const sorted = [...model].sort(comparePaths);
        expect(from(paths)).toEqual(sorted);
        expect(from(paths, probe)).toEqual(sorted.filter((other) => comparePaths(other, probe) >= 0));
        expect(from(paths, '', probe)).toEqual(sorted.filter((other) => comparePaths(other, probe) < 0));
        expect(paths.countBelow(probe)).toBe(sorted.filter((other) => comparePaths(other, probe) < 0).length);
        expect(paths.countBelow()).toBe(sorted.length);
      }),
    );
  });

  it('keeps the order over many chunks, filled and emptied in any order', () => {
    const count = 5_000;
    // 3,001 and 5,000 have no common factor, so this visits every number once.
    const shuffled = Array.from({ length: count }, (_, i) => name((i * 3_001) % count));
    const sorted = Array.from({ length: count }, (_, i) => name(i));
    const paths = ordered();
    for (const path of shuffled) paths.add(entry(path));
    expect(from(paths)).toEqual(sorted);
    expect(paths.countBelow(name(1_234))).toBe(1_234);
    for (const path of shuffled.slice(0, count - 3)) paths.delete(path);
    expect(from(paths)).toEqual(shuffled.slice(count - 3).sort());
    for (const path of shuffled) paths.delete(path);
    expect(from(paths)).toEqual([]);
    paths.add(entry('a'));
    expect(from(paths)).toEqual(['a']);
  });

  it('stops when the visitor has seen enough', () => {
    const paths = ordered(Array.from({ length: 1_000 }, (_, i) => name(i)));
    const seen: string[] = [];
    paths.scan(name(254), undefined, ({ path }) => seen.push(path) < 4);
    expect(seen).toEqual([name(254), name(255), name(256), name(257)]);
  });
});
