import { expect, test } from '@jest/globals';
import { scrollTopFor, visibleRows } from './visible-rows.js';

test.each([
  [0, 0, { from: 0, to: 0 }],
  [3, 0, { from: 0, to: 3 }],
  [10_000, 0, { from: 0, to: 16 }],
  [10_000, 4000, { from: 94, to: 116 }],
  // Half a row at either edge.
  [10_000, 4020, { from: 94, to: 117 }],
  [10_000, 399_600, { from: 9984, to: 10_000 }],
  // The list has become shorter below the scroll position, or the browser bounces.
  [5, 399_600, { from: 5, to: 5 }],
  [10_000, -80, { from: 0, to: 16 }],
])('of %i rows of 40 px, scrolled by %i px, a view of 400 px renders %j', (count, scrollTop, rows) => {
  expect(visibleRows(count, 40, scrollTop, 400)).toEqual(rows);
});

test.each([
  [0, 400, 0],
  [12, 400, 400],
  [20, 400, 440],
])('row %i, scrolled by %i px, is in sight at %i px', (row, scrollTop, expected) => {
  expect(scrollTopFor(row, 40, scrollTop, 400)).toBe(expected);
});
