import { describe, expect, it } from '@jest/globals';
import { oversizedNumber } from './json-patch-document.js';

describe('a number outside the range of float64', () => {
  it.each([
    ['{"a":1e400}', '1e400'],
    ['[1,-1.5E+309,1e999]', '-1.5E+309'],
    [`{"a":${'9'.repeat(310)}}`, '9'.repeat(310)],
  ])('is found in %s', (json, number) => {
    expect(oversizedNumber(json)).toBe(number);
  });

  it.each(['{"a":1e308,"b":1e-999}', '{"1e400":"1e400"}', '["\\"1e400", "\\\\", 1]', 'null'])('is not in %s', (json) => {
    expect(oversizedNumber(json)).toBeUndefined();
  });
});
