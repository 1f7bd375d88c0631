import { expect, test } from '@jest/globals';
import { segmentsOf } from './segments.js';

const term = (holder: string, from: number, to?: number) => ({ holder, from, to, token: undefined });

test('terms and gaps are cut to the displayed period', () => {
  const lease = {
    terms: [term('x', -500, 25), term('', 25, 50), term('y', 50)],
    gaps: [
      { from: 10, to: 30 },
      { from: -90, to: -80 },
    ],
  };
  expect(segmentsOf(lease, 0, 100)).toEqual({
    held: [
      { holder: 'x', from: -500, to: 25, left: 0, width: 25, shade: 0 },
      { holder: 'y', from: 50, to: 100, left: 50, width: 50, shade: 0 },
    ],
    gaps: [{ left: 10, width: 20, forMs: 20 }],
  });
});

test('an empty period has no segments', () => {
  expect(segmentsOf({ terms: [term('x', 0)], gaps: [] }, 100, 100)).toEqual({ held: [], gaps: [] });
});
