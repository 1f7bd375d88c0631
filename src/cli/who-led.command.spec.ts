import { describe, expect, test } from '@jest/globals';
import { pointInTime } from './who-led.command.js';

/** Local, so that the tests mean the same in any zone: Saturday afternoon. */
const NOW = new Date(2026, 10, 28, 15, 30, 10).getTime();
const HOUR = 3_600_000;
const local = (...parts: [number, number, number, number?, number?, number?]) =>
  new Date(parts[0], parts[1] - 1, parts[2], parts[3] ?? 0, parts[4] ?? 0, parts[5] ?? 0).getTime();

describe('times as people type them', () => {
  test.each([
    ['now', NOW],
    ['10m', NOW - 600_000],
    ['2h30m ago', NOW - 2.5 * HOUR],
    ['90d', NOW - 90 * 24 * HOUR],
    ['03:00', local(2026, 11, 28, 3)],
    ['3:00', local(2026, 11, 28, 3)],
    ['03:00:05', local(2026, 11, 28, 3, 0, 5)],
    ['today 03:00', local(2026, 11, 28, 3)],
    ['yesterday', NOW - 24 * HOUR],
    ['yesterday 03:00', local(2026, 11, 27, 3)],
    ['2026-11-28', local(2026, 11, 28)],
    ['2026-11-27 03:00', local(2026, 11, 27, 3)],
    ['2026-11-27T03:00:00', local(2026, 11, 27, 3)],
    ['2026-11-27T03:00:00Z', Date.UTC(2026, 10, 27, 3)],
    ['2026-11-27T03:00Z', Date.UTC(2026, 10, 27, 3)],
    ['2026-11-27 03:00:00.123456+02:00', Date.UTC(2026, 10, 27, 1, 0, 0, 123)],
  ])('%s', (text, expected) => {
    expect(pointInTime(text, NOW)).toBe(expected);
  });

  test('a time of day that is still to come was yesterday', () => {
    expect(pointInTime('23:00', NOW)).toBe(local(2026, 11, 27, 23));
  });

  test.each([
    '',
    'soon',
    '25:00',
    '03:60',
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '-5m',
    '28.11.2026',
    '2026-11-28T',
    '3',
    'tomorrow',
  ])('what is no time, or is to come, is not guessed at: %p', (text) => {
    expect(pointInTime(text, NOW)).toBeUndefined();
  });
});
