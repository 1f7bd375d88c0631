import { expect, test } from '@jest/globals';
import { RevisionTimes } from './revision-times.js';

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
