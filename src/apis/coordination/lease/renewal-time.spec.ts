import { expect, test } from '@jest/globals';
import { renewalTime } from './renewal-time.js';

const NOON = Date.parse('2026-01-02T12:00:00.000Z');

test('renewals by a clock that stands still have each another time', () => {
  const times = new Set<string>();
  let last: string | undefined;
  for (let i = 0; i < 1_000; i++) times.add((last = renewalTime(last, NOON)));
  expect(times.size).toBe(1_000);
  expect(last).toBe('2026-01-02T12:00:00.000999Z');
  expect(renewalTime(last, NOON + 1)).toBe('2026-01-02T12:00:00.001000Z');
});
