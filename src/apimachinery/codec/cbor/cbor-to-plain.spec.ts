import { describe, expect, it } from '@jest/globals';
import { cborToPlain, cborToPlainMap } from './cbor-to-plain.js';

const hex = (text: string) => Buffer.from(text, 'hex');

describe('CBOR as plain data', () => {
  it('is whatever JSON has', () => {
    expect(cborToPlain(hex('a16161830120f5'))).toEqual({ a: [1, -1, true] });
    expect(cborToPlain(hex('f6'))).toBeNull();
  });

  it('is a map where one is asked for, and null is an empty one', () => {
    expect(cborToPlainMap(hex('d9d9f7a1616101'))).toEqual({ a: 1 });
    expect(cborToPlainMap(hex('f6'))).toEqual({});
  });

  it.each([
    ['05', 'positive integer', 'map[string]interface {}'],
    ['6161', 'UTF-8 text string', 'map[string]interface {}'],
    ['80', 'array', 'map[string]interface {}'],
    ['a10102', 'positive integer', 'string'],
  ])('is not %s', (text, kind, type) => {
    expect(() => cborToPlainMap(hex(text))).toThrow(`cbor: cannot unmarshal ${kind} into Go value of type ${type}`);
  });

  it('is nothing that JSON cannot show', () => {
    expect(() => cborToPlain(hex('81f7'))).toThrow('simple value 23 is not recognized');
  });
});
