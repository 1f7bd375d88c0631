import { describe, expect, it, test } from '@jest/globals';
import { RevisionGaps, RevisionTimes, parseResourceVersion } from './revisions.js';

describe('resource version', () => {
  it.each([
    ['', 0n],
    ['0', 0n],
    ['007', 7n],
    ['18446744073709551615', 18446744073709551615n],
  ])('parses %j', (text, value) => {
    expect(parseResourceVersion(text)).toBe(value);
  });

  it.each([
    ['abc', 'strconv.ParseUint: parsing "abc": invalid syntax'],
    ['-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
    ['1_0', 'strconv.ParseUint: parsing "1_0": invalid syntax'],
    [' 1', 'strconv.ParseUint: parsing " 1": invalid syntax'],
    ['18446744073709551616', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ])("refuses %j with upstream's message", (text, message) => {
    expect(() => parseResourceVersion(text)).toThrow(message);
  });
});

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

test('a revision that is not known has no age, and those of one moment share theirs', () => {
  const times = new RevisionTimes();
  expect(times.age(1, 50)).toBe(0);
  times.add(10, 1_000);
  times.add(12, 1_060);
  times.add(20, 1_100);
  expect([5, 10, 11, 12, 13, 20, 21].map((revision) => times.age(revision, 2_000))).toEqual([940, 940, 940, 940, 900, 900, 0]);
  times.reset(30, 2_000);
  expect([5, 30].map((revision) => times.age(revision, 2_500))).toEqual([500, 500]);
});

test.each([1, 40, 130, 900])('with a write each %i ms no revision is older than its arrival, and none much younger', (after) => {
  const times = new RevisionTimes();
  const writes = 20_000;
  for (let write = 1; write <= writes; write++) times.add(write * 3, write * after);
  const now = writes * after;
  for (let write = 1; write <= writes; write++) {
    const [age, real] = [times.age(write * 3 - 1, now), now - write * after];
    if (age > real || age < real * 0.99 - 2 * Math.max(100, after)) throw new Error(`${age} after ${real} ms`);
  }
});
