import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EncodedList } from './serializer.js';

function copiesOf(list: EncodedList): Buffer[] {
  const copies: Buffer[] = [];
  const chunks = list.chunks();
  for (;;) {
    const { done, value } = chunks.next();
    copies.push(Buffer.from(value));
    if (done) return copies;
  }
}

describe('EncodedList', () => {
  it('returns the same bytes as a whole and in chunks, regardless of how it is divided', () => {
    const size = fc.oneof(fc.nat(100), fc.integer({ min: 60_000, max: 400_000 }));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 12 }), (sizes) => {
        const pieces = sizes.map((length, at) => Buffer.alloc(length, at + 1));
        const list = new EncodedList(pieces);
        const copies = copiesOf(list);
        const chunks = copies.map((chunk) => chunk.length);
        expect(Buffer.concat(copies).equals(list.bytes())).toBe(true);
        expect(list.bytes().equals(Buffer.concat(pieces))).toBe(true);
        expect(list.length).toBe(sizes.reduce((sum, length) => sum + length, 0));
        expect(chunks.every((length) => length <= 64 * 1024)).toBe(true);
        expect(chunks.length).toBe(Math.max(1, Math.ceil(list.length / (64 * 1024))));
        expect(list.isLong).toBe(chunks.length > 1);
      }),
      { numRuns: 50 },
    );
  });
});
