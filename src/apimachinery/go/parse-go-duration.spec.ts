import { parseGoDuration } from './parse-go-duration.js';

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
