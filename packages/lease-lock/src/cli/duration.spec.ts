import { describe, expect, it } from '@jest/globals';
import { parseDuration } from './duration.js';
import { UsageError } from './usage-error.js';

describe('a duration', () => {
  it.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['0', 0],
    ['12', 12_000],
    ['0.5', 500],
  ])('%s', (text, ms) => expect(parseDuration(text, 'wait')).toBe(ms));

  it.each(['', 'soon', '5x', '1m 30s', '-1s', '1.2.3', 's', '10sm'])('is not "%s"', (text) =>
    expect(() => parseDuration(text, 'wait')).toThrow(UsageError),
  );
});
