import { expect, it } from '@jest/globals';
import { ApiError, ExpectedError, aggregateTexts } from './api-error.js';

const frames = ({ stack = '' }: Error): number => stack.split('\n').filter((line) => line.startsWith('    at ')).length;

test('errors that refuse requests have no stack, errors of the server do', () => {
  const limit = Error.stackTraceLimit;
  expect(frames(new ExpectedError('no'))).toBe(0);
  expect(frames(new ApiError({ code: 403, message: 'forbidden' }))).toBe(0);
  expect(frames(new ApiError({ code: 500, message: 'broken' }))).toBeGreaterThan(0);
  expect(frames(new Error('any other'))).toBeGreaterThan(0);
  expect(Error.stackTraceLimit).toBe(limit);
});

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'a'], 'a'],
  [['b', 'a', 'b'], '[b, a]'],
])('the aggregate of %j is %j', (texts, expected) => {
  expect(aggregateTexts(texts)).toBe(expected);
});
