import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeHtml, goString, sortKeys } from './go-string.js';

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
