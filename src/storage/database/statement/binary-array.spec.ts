import { describe, expect, it } from '@jest/globals';
import { bigintArray, booleanArray, charArray, textArray } from './binary-array.js';

/** Parses an array like PostgreSQL. */
function decode(buffer: Buffer): { oid: number; elements: (Buffer | null)[] } {
  const elements: (Buffer | null)[] = [];
  const oid = buffer.readInt32BE(8);
  if (buffer.readInt32BE(0) === 0) return { oid, elements };
  let at = 20;
  for (let i = 0; i < buffer.readInt32BE(12); i++) {
    const length = buffer.readInt32BE(at);
    at += 4;
    elements.push(length < 0 ? null : buffer.subarray(at, at + length));
    at += Math.max(length, 0);
  }
  expect(at).toBe(buffer.length);
  return { oid, elements };
}

describe('binary arrays', () => {
  it('encode text in UTF-8, including empty and missing elements', () => {
    const texts = ['abc', '', null, 'é😀"\\{},NULL'];
    const { oid, elements } = decode(textArray(texts));
    expect(oid).toBe(25);
    expect(elements.map((element) => element?.toString('utf8') ?? null)).toEqual(texts);
  });

  it('encode every safe integer', () => {
    const numbers = [0, 1, 2 ** 31, 2 ** 32, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER, -1, null];
    const { oid, elements } = decode(bigintArray(numbers));
    expect(oid).toBe(20);
    expect(elements.map((element) => element && Number(element.readBigInt64BE()))).toEqual(numbers);
  });

  it('encode booleans and single characters', () => {
    expect(decode(booleanArray([true, null, false])).elements.map((element) => element?.[0] ?? null)).toEqual([1, null, 0]);
    expect(decode(charArray(['A', 'M'])).elements.map(String)).toEqual(['A', 'M']);
  });

  it('are empty if every element is missing, since unnest pads with nulls', () => {
    for (const array of [textArray([null, null]), bigintArray([null]), booleanArray([]), textArray([])]) {
      expect(decode(array).elements).toEqual([]);
      expect(array).toHaveLength(12);
    }
  });
});
