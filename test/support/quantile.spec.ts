import { expect, test } from '@jest/globals';
import { quantile } from './quantile.js';

test('quantiles of few values are among those values', () => {
  expect(quantile([5, 1, 3], 0.5)).toBe(3);
  expect(quantile([5, 1, 3], 0.99)).toBe(5);
  expect(quantile([], 0.5)).toBe(0);
});
