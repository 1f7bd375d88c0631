import { expect, test } from '@jest/globals';
import { fairShare, overdue } from './retain-terms.js';

const segment = (number: number, ageMs: number, terms: number) => ({ segment: number, ageMs, terms });

test('a segment is dropped once the next one is older than the history, since its last term ended before that', () => {
  const segments = [segment(1, 500, 10), segment(2, 300, 10), segment(3, 100, 10)];
  expect(overdue(segments, { historyMs: 300, historyRows: 1_000 })).toBe(0);
  expect(overdue(segments, { historyMs: 299, historyRows: 1_000 })).toBe(1);
  expect(overdue(segments, { historyMs: 99, historyRows: 1_000 })).toBe(2);
});

test('the oldest segments are dropped where all of them have too many terms, but never the newest one', () => {
  const segments = [segment(1, 3, 10), segment(2, 2, 10), segment(3, 1, 10)];
  expect(overdue(segments, { historyMs: 1_000, historyRows: 30 })).toBe(0);
  expect(overdue(segments, { historyMs: 1_000, historyRows: 29 })).toBe(1);
  expect(overdue(segments, { historyMs: 1_000, historyRows: 10 })).toBe(2);
  expect(overdue(segments, { historyMs: 1_000, historyRows: 1 })).toBe(2);
});

test.each([
  [[10, 20, 1_000], 100, 70],
  [[10, 500, 1_000], 100, 45],
  [[10, 20], 100, 20],
  [[5, 5], 0, 0],
])('of %j terms of namespaces, at most %d in all, each has at most %d', (counts, total, share) => {
  expect(fairShare(counts, total)).toBe(share);
});
