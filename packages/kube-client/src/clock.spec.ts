import { afterEach, expect, jest, test } from '@jest/globals';
import { systemClock } from './clock.js';

const DAY = 24 * 3_600_000;

afterEach(() => void jest.useRealTimers());

test('a time that is over already is no timeout below zero, of which Node.js would warn', () => {
  const set = jest.spyOn(globalThis, 'setTimeout');
  systemClock.after(-5, () => undefined)();
  expect(set.mock.calls.map(([, ms]) => ms)).toEqual([0]);
  set.mockRestore();
});

test('a time that is longer than timers can be passes in full, and can be cancelled', () => {
  jest.useFakeTimers();
  let calls = 0;
  systemClock.after(60 * DAY, () => calls++);
  const cancel = systemClock.after(59 * DAY, () => calls++);
  jest.advanceTimersByTime(50 * DAY);
  cancel();
  jest.advanceTimersByTime(10 * DAY - 1);
  expect(calls).toBe(0);
  jest.advanceTimersByTime(1);
  expect(calls).toBe(1);
});
