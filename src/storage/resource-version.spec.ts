import { describe, expect, it } from '@jest/globals';
import { parseResourceVersion } from './resource-version.js';

describe('resource version', () => {
  it.each([
    ['', 0n],
    ['0', 0n],
    ['007', 7n],
    ['18446744073709551615', 18446744073709551615n],
  ])('parses %j', (text, value) => {
    expect(parseResourceVersion(text)).toBe(value);
  });

  it.each([
    ['abc', 'strconv.ParseUint: parsing "abc": invalid syntax'],
    ['-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
    ['1_0', 'strconv.ParseUint: parsing "1_0": invalid syntax'],
    [' 1', 'strconv.ParseUint: parsing " 1": invalid syntax'],
    ['18446744073709551616', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ])("refuses %j with upstream's message", (text, message) => {
    expect(() => parseResourceVersion(text)).toThrow(message);
  });
});
