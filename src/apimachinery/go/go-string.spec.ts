import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sortKeys } from './go-string.js';

describe('sortKeys', () => {
  it('sorts in place, by the bytes of UTF-8', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'é', '\uffee', '😀') });
    fc.assert(
      fc.property(fc.uniqueArray(key), (keys) => {
        const expected = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(sortKeys(keys)).toEqual(expected);
        expect(keys).toEqual(expected);
      }),
    );
  });
});
