import { expect, test } from '@jest/globals';
import { splits } from './split-brain.js';

test('consecutive primaries are not a split', () => {
  const times = [
    { node: 'a', from: 0, until: 10 },
    { node: 'b', from: 10, until: 20 },
    { node: 'a', from: 21, until: 30 },
    { node: 'a', from: 25, until: 35 },
  ];
  expect(splits(times)).toEqual([]);
});

test('two simultaneous primaries are reported for as long as both exist', () => {
  const times = [
    { node: 'b', from: 7, until: 20 },
    { node: 'a', from: 0, until: 10 },
  ];
  expect(splits(times)).toEqual([{ nodes: ['a', 'b'], from: 7, until: 10 }]);
});
