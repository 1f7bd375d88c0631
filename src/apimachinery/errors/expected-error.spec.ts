import { ApiError } from './api-error.js';
import { ExpectedError } from './expected-error.js';

const frames = ({ stack = '' }: Error): number => stack.split('\n').filter((line) => line.startsWith('    at ')).length;

test('errors that refuse requests have no stack, errors of the server do', () => {
  const limit = Error.stackTraceLimit;
  expect(frames(new ExpectedError('no'))).toBe(0);
  expect(frames(new ApiError({ code: 403, message: 'forbidden' }))).toBe(0);
  expect(frames(new ApiError({ code: 500, message: 'broken' }))).toBeGreaterThan(0);
  expect(frames(new Error('any other'))).toBeGreaterThan(0);
  expect(Error.stackTraceLimit).toBe(limit);
});
