import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareText } from './compare-text.js';

test('texts are compared by their bytes in UTF-8', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '😀') });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
