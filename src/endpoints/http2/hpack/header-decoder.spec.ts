import { jest } from '@jest/globals';
import fc from 'fast-check';
import { HeaderDecoder, HpackError } from './header-decoder.js';
import { HeaderEncoder } from './header-encoder.js';

const LIMITS = { bytes: 1024 * 1024, fields: 2000 };

function decode(decoder: HeaderDecoder, hex: string): string[] | undefined {
  return decoder.decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'))?.map(({ name, value }) => `${name}: ${value}`);
}

const FIRST = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
const SECOND = [...FIRST, 'cache-control: no-cache'];
const THIRD = [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com', 'custom-key: custom-value'];

describe('the examples of RFC 7541 appendix C', () => {
  test.each([
    ['C.2.1', '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', 'custom-key: custom-header'],
    ['C.2.2', '040c 2f73 616d 706c 652f 7061 7468', ':path: /sample/path'],
    ['C.2.3', '1008 7061 7373 776f 7264 0673 6563 7265 74', 'password: secret'],
    ['C.2.4', '82', ':method: GET'],
  ])('%s: one header', (_, hex, header) => {
    expect(decode(new HeaderDecoder(LIMITS), hex)).toEqual([header]);
  });

  test('C.3: requests on one connection, without Huffman codes', () => {
    const decoder = new HeaderDecoder(LIMITS);
    expect(decode(decoder, '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d')).toEqual(FIRST);
    expect(decode(decoder, '8286 84be 5808 6e6f 2d63 6163 6865')).toEqual(SECOND);
    expect(decode(decoder, '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65')).toEqual(THIRD);
  });

  test('C.4: the same with Huffman codes', () => {
    const decoder = new HeaderDecoder(LIMITS);
    expect(decode(decoder, '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff')).toEqual(FIRST);
    expect(decode(decoder, '8286 84be 5886 a8eb 1064 9cbf')).toEqual(SECOND);
    expect(decode(decoder, '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf')).toEqual(THIRD);
  });

  test('C.6: responses with a table of 256 bytes, which evicts entries', () => {
    const decoder = new HeaderDecoder(LIMITS);
    // The table size that the example assumes.
    decode(decoder, '3fe1 01');
    const date = (second: number) => `date: Mon, 21 Oct 2013 20:13:${second} GMT`;
    const location = 'location: https://www.example.com';
    expect(
      decode(
        decoder,
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
      ),
    ).toEqual([':status: 302', 'cache-control: private', date(21), location]);
    expect(decode(decoder, '4883 640e ffc1 c0bf')).toEqual([':status: 307', 'cache-control: private', date(21), location]);
    const cookie = 'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1';
    expect(
      decode(
        decoder,
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      ),
    ).toEqual([':status: 200', 'cache-control: private', date(22), location, 'content-encoding: gzip', cookie]);
  });
});

describe('undecodable blocks', () => {
  test.each([
    ['an index without an entry', 'be'],
    ['the index 0', '80'],
    ['an integer without an end', 'ff ffff ffff ffff ffff'],
    ['a truncated integer', 'ff80'],
    ['a string longer than its block', '400a 61'],
    ['a larger table than allowed', '3fe2 1f'],
    ['a table size after a header', '8220'],
    ['padding of a whole byte', '4082 1fff 0161'],
    ['padding of zeros', '4081 18 0161'],
    ['the end-of-string symbol', '4084 ffff ffff 0161'],
  ])('%s', (_, hex) => {
    expect(() => decode(new HeaderDecoder(LIMITS), hex)).toThrow(HpackError);
  });

  test('arbitrary bytes are decoded to headers or refused', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (blocks) => {
        const decoder = new HeaderDecoder(LIMITS);
        try {
          for (const block of blocks) decoder.decode(Buffer.from(block));
        } catch (error) {
          expect(error).toBeInstanceOf(HpackError);
        }
      }),
    );
  });
});

test('a list beyond the limits is dropped, and the table stays in step with the client', () => {
  const decoder = new HeaderDecoder({ bytes: 200, fields: 3 });
  const custom = '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572';
  expect(decode(decoder, `${custom} be be be`)).toBeUndefined();
  expect(decode(decoder, '82828282')).toBeUndefined();
  expect(decode(decoder, 'be')).toEqual(['custom-key: custom-header']);
});

test("the decoder reads any response's headers as encoded", () => {
  const name = fc.constantFrom('cache-control', 'content-type', 'audit-id', 'warning', 'x-kubernetes-pf-flowschema-uid', 'location');
  const value = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 300 });
  const headers = fc.uniqueArray(fc.tuple(name, value), { selector: ([of]) => of, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 100, max: 599 }), headers, fc.boolean()), { maxLength: 60 }), (answers) => {
      const encoder = new HeaderEncoder();
      const decoder = new HeaderDecoder(LIMITS);
      for (const [status, list, withoutTable] of answers) {
        if (withoutTable) encoder.limitTable(0);
        const decoded = decoder.decode(Buffer.from(encoder.encode(status, Object.fromEntries(list))));
        expect(decoded?.map(({ name: n, value: v }) => [n, v])).toEqual([[':status', String(status)], ...list]);
      }
    }),
  );
});

test('headers that responses repeat cost one byte each', () => {
  const encoder = new HeaderEncoder();
  const headers = { 'cache-control': 'no-cache, private', 'content-type': 'application/json' };
  encoder.encode(200, headers);
  expect(encoder.encode(200, headers)).toHaveLength(3);
});

test('response headers contain no control characters and no connection management', () => {
  const decoder = new HeaderDecoder(LIMITS);
  const block = new HeaderEncoder().encode(200, {
    'x-a': 'a\r\nb: c',
    connection: 'close',
    'content-length': 3,
    warning: ['1', '2'] as never,
  });
  expect(decoder.decode(block)?.map(({ name, value }) => [name, value])).toEqual([
    [':status', '200'],
    ['x-a', 'a  b: c'],
    ['content-length', '3'],
    ['warning', '1'],
    ['warning', '2'],
  ]);
});

describe('headers repeated by reference', () => {
  /** Inserts `x: <value>` into the table. */
  const insert = (value: string) => Buffer.from([0x40, 1, 120, 0x7f, ...integer(value.length - 127), ...Buffer.from(value)]);
  const integer = (value: number) => (value < 128 ? [value] : [(value % 128) | 128, Math.floor(value / 128)]);

  test('cannot make a list much larger than its block', () => {
    const decoder = new HeaderDecoder(LIMITS);
    const long = 'v'.repeat(4000);
    expect(decoder.decode(insert(long))).toHaveLength(1);
    expect(decoder.decode(Buffer.alloc(4, 0xbe))).toHaveLength(4);
    expect(decoder.decode(Buffer.alloc(250, 0xbe))).toBeUndefined();
    // The connection can continue.
    expect(decoder.decode(Buffer.from([0x82, 0xbe]))).toMatchObject([{ name: ':method' }, { value: long }]);
  });

  test('decode to a list, each entry used once, however full the table is', () => {
    const decoder = new HeaderDecoder(LIMITS);
    for (let at = 0; at < 15; at++) decoder.decode(insert(`${at}`.padEnd(230, 'v')));
    const all = Buffer.from(Array.from({ length: 61 + 15 }, (_, at) => 0x81 + at));
    expect(decoder.decode(all)).toHaveLength(61 + 15);
  });

  test('have their names examined only once', () => {
    const decoder = new HeaderDecoder(LIMITS);
    decoder.decode(Buffer.from([0x40, 0x7f, ...integer(3800 - 127), ...Buffer.alloc(3800, 'n'), 0]));
    const looks = jest.spyOn(RegExp.prototype, 'test');
    decoder.decode(Buffer.from(Array.from({ length: 4000 }, () => [0x0f, 47, 0]).flat()));
    const characters = looks.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    looks.mockRestore();
    expect(characters).toBeLessThan(12_000);
  });
});
