import {
  continuation,
  END_HEADERS,
  END_STREAM,
  get,
  GET_METHOD,
  headers,
  HTTPS,
  indexedLiteral,
  integer,
  literal,
  settings,
} from '../../support/http2-frames.js';
import { ANSWERED, COMPRESSION_ERROR, RESET } from '../outcomes.js';
import { type Examples, example } from '../sequence.js';

const AUTHORITY = literal(':authority', 'test');
/** `www.example.com` in Huffman codes (RFC 7541 appendix C.4.1). */
const HUFFMAN = [0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff];

/** Header blocks (section 4.3) and their compression (RFC 7541). */
export const COMPRESSION: Examples = {
  'a block in several frames': example('4.3', ANSWERED, (s, random) => {
    const block = Buffer.from(get());
    const at = random(block.length);
    return [
      headers(s, block.subarray(0, at), END_STREAM),
      continuation(s, block.subarray(at, at + 1), 0),
      continuation(s, block.subarray(at + 1)),
      { answered: s },
    ];
  }),
  'a block with an empty first frame': example('4.3', ANSWERED, (s) => [
    headers(s, [], END_STREAM),
    continuation(s, get()),
    { answered: s },
  ]),
  'an empty block': example('8.3.1', RESET, (s) => [headers(s, []), { answered: s }]),
  'index 0': example('7541-6.1', COMPRESSION_ERROR, (s) => [headers(s, [0x80])]),
  'an index beyond the tables': example('7541-2.3.3', COMPRESSION_ERROR, (s, random) => [
    headers(s, [...get(), ...integer(62 + random(1000), 7, 0x80)]),
  ]),
  'a name by an index beyond the tables': example('7541-2.3.3', COMPRESSION_ERROR, (s) => [
    headers(s, [...get(), ...integer(100, 4), 1, 97]),
  ]),
  'an integer without an end': example('7541-5.1', COMPRESSION_ERROR, (s) => [headers(s, [...get(), 0xff, ...Buffer.alloc(20, 0xff)])]),
  'an integer of many zeros': example('7541-5.1', COMPRESSION_ERROR, (s) => [headers(s, [0xff, ...Buffer.alloc(12, 0x80), 0, ...get()])]),
  'an integer cut short': example('7541-5.1', COMPRESSION_ERROR, (s) => [headers(s, [...get(), 0xff])]),
  'a text cut short': example('7541-5.2', COMPRESSION_ERROR, (s) => [headers(s, [...get(), 0, 1, 97, 50, 98])]),
  'Huffman codes': example('7541-5.2', ANSWERED, (s) => [
    headers(s, [...get(), 0, 1, 97, 0x80 | HUFFMAN.length, ...HUFFMAN]),
    { answered: s },
  ]),
  'Huffman codes with padding of a byte': example('7541-5.2', COMPRESSION_ERROR, (s) => [
    headers(s, [...get(), 0, 1, 97, 0x80 | (HUFFMAN.length + 1), ...HUFFMAN, 0xff]),
  ]),
  'Huffman codes with padding of zeros': example('7541-5.2', COMPRESSION_ERROR, (s) => [headers(s, [...get(), 0, 1, 97, 0x81, 0x18])]),
  'the end of the string in Huffman codes': example('7541-5.2', COMPRESSION_ERROR, (s) => [
    headers(s, [...get(), 0, 1, 97, 0x84, 0xff, 0xff, 0xff, 0xff]),
  ]),
  'the table used and evicted': example('7541-4.4', '+0: 200 "GET / 0"; +2: 200 "GET / 0"; alive', (s) => [
    headers(s, [...get(), ...indexedLiteral('a', 'b'), 0xbe]), { answered: s }, headers(s + 2, [...get(), ...indexedLiteral('c', 'x'.repeat(4000)), 0xbe]), { answered: s + 2 },
  ]), // prettier-ignore
  'an entry that was evicted': example('7541-4.4', COMPRESSION_ERROR, (s) => [
    headers(s, [...get(), ...indexedLiteral('a', 'b'), ...indexedLiteral('c', 'x'.repeat(5000)), 0xbe]),
  ]),
  'an entry larger than the table': example('7541-4.4', ANSWERED, (s) => [
    headers(s, [...get(), ...indexedLiteral('c', 'x'.repeat(5000))]),
    { answered: s },
  ]),
  'the table resized to 0 and back': example('7541-6.3', ANSWERED, (s) => [
    headers(s, [0x20, ...integer(4096, 5, 0x20), ...get(), ...indexedLiteral('a', 'b'), 0xbe]),
    { answered: s },
  ]),
  'the table resized beyond the limit': example('7541-6.3', COMPRESSION_ERROR, (s) => [headers(s, [...integer(4097, 5, 0x20), ...get()])]),
  'the table resized in the middle of a block': example('7541-4.2', COMPRESSION_ERROR, (s) => [headers(s, [...get(), 0x20])]),
  'the table resized three times': example('7541-4.2', ANSWERED, (s) => [headers(s, [0x20, 0x21, 0x22, ...get()]), { answered: s }]),
  'HEADER_TABLE_SIZE of 0, then of 2^32-1': example('7541-4.2', '+0: 200 "GET / 0"; +2: 200 "GET / 0"; alive', (s) => [
    settings([[1, 0]]), headers(s, get()), { answered: s }, settings([[1, 2 ** 32 - 1]]), headers(s + 2, get()), { answered: s + 2 },
  ]), // prettier-ignore
  'a header that is never to be indexed': example('7541-6.2.3', ANSWERED, (s) => [
    headers(s, [...get(), 0x10, 1, 97, 1, 98]),
    { answered: s },
  ]),
  'a malformed request still updates the table': example('4.3', '+0: RST PROTOCOL_ERROR; +2: 200 "GET / 0"; alive', (s) => [
    headers(s, [...indexedLiteral('a', 'b'), GET_METHOD]), { answered: s }, headers(s + 2, [GET_METHOD, HTTPS, 0x84, ...AUTHORITY, 0xbe]), { answered: s + 2 },
  ]), // prettier-ignore
  'trailers that do not decompress': example('4.3', COMPRESSION_ERROR, (s) => [
    headers(s, get().with(0, 0x83), END_HEADERS),
    headers(s, [0x80]),
  ]),
};
