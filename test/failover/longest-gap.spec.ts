import { expect, test } from '@jest/globals';
import { longestGap } from './longest-gap.js';

test('a gap is measured from the last success before a window to the first after it', () => {
  expect(longestGap([0, 90, 300, 350], 100, 200)).toBe(210);
  expect(longestGap([0, 90, 150, 300], 100, 200)).toBe(150);
  expect(longestGap([0, 50], 100, 200)).toBe(150);
});
