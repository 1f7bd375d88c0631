import { describe, expect, it } from '@jest/globals';
import { cborToPlain, cborToPlainMap } from './cbor-decoder.js';

const hex = (text: string) => Buffer.from(text, 'hex');

describe('CBOR as plain data', () => {
  it('decodes every type that JSON has', () => {
    expect(cborToPlain(hex('a16161830120f5'))).toEqual({ a: [1, -1, true] });
    expect(cborToPlain(hex('f6'))).toBeNull();
  });

  it('decodes a map where one is expected, with null as an empty map', () => {
    expect(cborToPlainMap(hex('d9d9f7a1616101'))).toEqual({ a: 1 });
    expect(cborToPlainMap(hex('f6'))).toEqual({});
  });

  it.each([
    ['05', 'positive integer', 'map[string]interface {}'],
    ['6161', 'UTF-8 text string', 'map[string]interface {}'],
    ['80', 'array', 'map[string]interface {}'],
    ['a10102', 'positive integer', 'string'],
  ])('refuses %s where a map or a string key is expected', (text, kind, type) => {
    expect(() => cborToPlainMap(hex(text))).toThrow(`cbor: cannot unmarshal ${kind} into Go value of type ${type}`);
  });

  it('refuses values that JSON cannot represent', () => {
    expect(() => cborToPlain(hex('81f7'))).toThrow('simple value 23 is not recognized');
  });
});
