import { parseGoDuration } from './go-duration.js';

test.each([
  ['0', 0],
  ['90s', 90_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['100ms', 100],
  ['.5s', 500],
])('%s is %d ms', (text, ms) => expect(parseGoDuration(text)).toBe(ms));

test.each(['', '5', 's', '1x', '-1s', '1s2', '1 s'])('%j is no duration', (text) => expect(parseGoDuration(text)).toBeUndefined());
