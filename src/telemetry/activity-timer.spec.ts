import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { ActivityTimer } from './activity-timer.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('a timer looks once a period until there is nothing to look at, and again after the next start', () => {
  let looks = 0;
  const timer = new ActivityTimer(100, () => ++looks % 3 !== 0);
  jest.advanceTimersByTime(1_000);
  expect(looks).toBe(0);
  expect(timer.start()).toBe(true);
  expect(timer.start()).toBe(false);
  jest.advanceTimersByTime(1_000);
  expect(looks).toBe(3);
  expect(timer.start()).toBe(true);
  jest.advanceTimersByTime(200);
  expect(looks).toBe(5);
});

test('a closed timer never starts again', () => {
  let looks = 0;
  const timer = new ActivityTimer(100, () => ++looks > 0);
  timer.start();
  timer.close();
  expect(timer.start()).toBe(false);
  jest.advanceTimersByTime(1_000);
  expect(looks).toBe(0);
});
