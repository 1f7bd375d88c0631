import { expect, test } from '@jest/globals';
import { RevisionGaps } from './revision-gaps.js';

test('a gap contains the revisions between its ends, and not the ends', () => {
  const gaps = new RevisionGaps([
    { ended: 10, began: 20 },
    { ended: 30, began: 31 },
  ]);
  expect([9, 10, 11, 19, 20, 21, 30, 31].filter((revision) => gaps.has(revision))).toEqual([11, 19]);
  expect([9, 10, 11].map((revision) => gaps.widthAfter(revision))).toEqual([9, 9, 0]);
  expect(gaps.around(15n)).toEqual({ ended: 10, began: 20 });
  expect(gaps.around(2n ** 64n - 1n)).toBeUndefined();
});
