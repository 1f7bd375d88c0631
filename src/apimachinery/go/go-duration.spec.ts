import { describe, expect, it } from '@jest/globals';
import { humanDuration, parseGoDuration } from './go-duration.js';

describe('parseGoDuration', () => {
  it.each([
    ['0', 0],
    ['10s', 10_000],
    ['1h2m3.5s', 3_723_500],
    ['100ms', 100],
    ['-1.5m', -90_000],
    ['+5us', 0.005],
    ['.5s', 500],
  ])('reads %s', (text, ms) => {
    expect(parseGoDuration(text)).toBeCloseTo(ms);
  });

  it.each([
    ['abc', 'time: invalid duration "abc"'],
    ['', 'time: invalid duration ""'],
    ['5', 'time: missing unit in duration "5"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['1s2', 'time: missing unit in duration "1s2"'],
    ['9999999999s', 'time: invalid duration "9999999999s"'],
  ])("refuses %s with Go's message", (text, error) => {
    expect(parseGoDuration(text)).toEqual({ error });
  });
});

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a human-readable duration', () => {
  it.each([
    [-2 * SECOND, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119_999, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + 5 * SECOND, '2m5s'],
    [10 * MINUTE + 5 * SECOND, '10m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 5 * MINUTE, '3h5m'],
    [8 * HOUR + 5 * MINUTE, '8h'],
    [2 * DAY, '2d'],
    [2 * DAY + HOUR, '2d1h'],
    [8 * DAY + HOUR, '8d'],
    [2 * 365 * DAY - 1, '729d'],
    [2 * 365 * DAY, '2y'],
    [3 * 365 * DAY + DAY, '3y1d'],
    [8 * 365 * DAY + DAY, '8y'],
  ])('of %i ms is %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});
