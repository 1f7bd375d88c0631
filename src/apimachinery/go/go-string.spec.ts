import { isUtf8 } from 'node:buffer';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { compareText, escapeHtml, goString, goUtf8, sortKeys } from './go-string.js';

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

const TEXT = fc.string({ unit: fc.constantFrom('a', 'é', '<', '>', '&', '"', '\u2028', '\u2029', '😀', '\ud83d', '\ude00') });

describe('escapeHtml', () => {
  it('escapes what HTML and JavaScript would take for their own, and keeps all else', () => {
    expect(escapeHtml('{"a<b":"é&>😀\u2028\u2029"}')).toBe('{"a\\u003cb":"é\\u0026\\u003e😀\\u2028\\u2029"}');
    fc.assert(fc.property(TEXT, (text) => expect(JSON.parse(escapeHtml(JSON.stringify(text)))).toBe(text)));
    fc.assert(fc.property(TEXT, (text) => expect(escapeHtml(JSON.stringify(text))).not.toMatch(/[<>&\u2028\u2029]/)));
  });
});

describe('goString', () => {
  it('is JSON of the text without halves of surrogate pairs', () => {
    fc.assert(fc.property(TEXT, (text) => expect(JSON.parse(goString(text))).toBe(text.toWellFormed())));
    expect(goString('\ud83d😀\ude00')).toBe('"\ufffd😀\ufffd"');
  });
});

/** The longest valid sequence at each place, or one replacement for one byte. */
function byTrying(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((each) => at + each <= bytes.length && isUtf8(bytes.subarray(at, at + each))) ?? 0;
    text += length === 0 ? '\ufffd' : bytes.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

test('each byte that is not part of a valid sequence becomes one replacement character', () => {
  const odd = fc.constantFrom(
    0x41,
    0x80,
    0x8f,
    0x90,
    0x9f,
    0xa0,
    0xbf,
    0xc0,
    0xc2,
    0xdf,
    0xe0,
    0xe2,
    0xed,
    0xef,
    0xf0,
    0xf3,
    0xf4,
    0xf5,
    0xff,
  );
  const bytes = fc.array(fc.oneof(odd, odd, fc.nat(255)), { maxLength: 12 }).map((list) => Buffer.from(list));
  fc.assert(
    fc.property(bytes, (each) => expect(goUtf8(each)).toBe(byTrying(each))),
    { numRuns: 5000 },
  );
});

test('texts are compared by their bytes in UTF-8', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '😀') });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
