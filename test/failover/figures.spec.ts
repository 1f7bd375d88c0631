import { expect, test } from '@jest/globals';
import { longestGap, percentile } from './figures.js';

test('percentiles of few values are among those values', () => {
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([5, 1, 3], 0.99)).toBe(5);
  expect(percentile([], 0.5)).toBe(0);
});

test('a gap is measured from the last success before a window to the first after it', () => {
  expect(longestGap([0, 90, 300, 350], 100, 200)).toBe(210);
  expect(longestGap([0, 90, 150, 300], 100, 200)).toBe(150);
  expect(longestGap([0, 50], 100, 200)).toBe(150);
});
