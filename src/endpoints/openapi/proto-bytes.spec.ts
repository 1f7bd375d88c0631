import { describe, expect, test } from '@jest/globals';
import { flag, text } from './proto-bytes.js';

describe('protobuf fields', () => {
  test('a bool with a field number above 15 has a tag of two bytes', () => {
    expect([...flag(4, true)]).toEqual([0x20, 1]);
    expect([...flag(18, true)]).toEqual([0x90, 0x01, 1]);
    expect([...flag(18, undefined)]).toEqual([]);
  });

  test('a long string has a length of several bytes', () => {
    expect([...text(21, 'x'.repeat(300)).subarray(0, 4)]).toEqual([0xaa, 0x01, 0xac, 0x02]);
  });
});
