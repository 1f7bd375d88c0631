import { afterEach, expect, jest, test } from '@jest/globals';
import { longTimer } from './scheduler.js';

const DAY = 24 * 3_600_000;

afterEach(() => void jest.useRealTimers());

test('a time that is longer than timers can be passes in full, and can be cancelled', () => {
  jest.useFakeTimers();
  let calls = 0;
  longTimer(60 * DAY, () => calls++);
  const cancel = longTimer(59 * DAY, () => calls++);
  jest.advanceTimersByTime(50 * DAY);
  cancel();
  jest.advanceTimersByTime(10 * DAY - 1);
  expect(calls).toBe(0);
  jest.advanceTimersByTime(1);
  expect(calls).toBe(1);
});
