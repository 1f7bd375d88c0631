import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { goUtf8 } from './go-utf8.js';

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
