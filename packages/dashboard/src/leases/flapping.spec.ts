import { expect, test } from '@jest/globals';
import { isFlapping } from './flapping.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const held = (...tenures: (readonly [holder: string, minutesAgo: number])[]) =>
  tenures.map(([holder, minutes]) => ({ holder, from: NOW - minutes * 60_000 }));

test.each([
  ['three changes of the holder within ten minutes', held(['a', 60], ['b', 9], ['c', 8], ['d', 1]), true],
  ['two changes', held(['a', 60], ['b', 9], ['c', 8]), false],
  ['three changes, the first of them ten minutes ago', held(['a', 60], ['b', 10], ['c', 8], ['d', 1]), false],
  ['two holders that take turns', held(['a', 5], ['b', 4], ['a', 3], ['b', 2]), true],
  ['changes with time without a holder between them', held(['a', 60], ['', 9], ['b', 8], ['', 7], ['c', 6], ['', 5], ['d', 4]), true],
  ['a holder that releases its lease and takes it again', held(['a', 9], ['', 8], ['a', 7], ['', 6], ['a', 5], ['', 4], ['a', 3]), false],
  ['a lease of which nothing is known', [], false],
])('%s: %j is flapping: %j', (_, tenures, expected) => {
  expect(isFlapping(tenures, NOW)).toBe(expected);
});
