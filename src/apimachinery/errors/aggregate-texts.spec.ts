import { expect, it } from '@jest/globals';
import { aggregateTexts } from './aggregate-texts.js';

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'a'], 'a'],
  [['b', 'a', 'b'], '[b, a]'],
])('the aggregate of %j is %j', (texts, expected) => {
  expect(aggregateTexts(texts)).toBe(expected);
});
