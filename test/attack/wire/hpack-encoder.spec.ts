import { HeaderDecoder } from '../../../src/endpoints/http2/hpack/header-decoder.js';
import { integer } from '../../support/http2-frames.js';
import { HpackEncoder } from './hpack-encoder.js';

function decode(decoder: HeaderDecoder, block: Buffer): string[] | undefined {
  return decoder.decode(block)?.map(({ name, value }) => `${name}: ${value}`);
}

test('integers are encoded as in the examples of RFC 7541', () => {
  expect(integer(10, 5)).toEqual([10]);
  expect(integer(1337, 5)).toEqual([31, 154, 10]);
  expect(integer(42, 8)).toEqual([42]);
});

test('a decoder reads the fields back, and repeated ones take one byte each', () => {
  const encoder = new HpackEncoder();
  const decoder = new HeaderDecoder({ bytes: 1 << 20, fields: 1000 });
  const fields = [
    [':method', 'GET'],
    [':path', '/readyz'],
    ['x-long', 'v'.repeat(300)],
  ] as const;
  const texts = fields.map(([name, value]) => `${name}: ${value}`);
  expect(decode(decoder, encoder.encode(fields))).toEqual(texts);
  const second = encoder.encode(fields);
  expect(second).toHaveLength(3);
  expect(decode(decoder, second)).toEqual(texts);
});

test('eviction matches the decoder: fields that left the table are sent as literals again', () => {
  const encoder = new HpackEncoder();
  const decoder = new HeaderDecoder({ bytes: 1 << 20, fields: 1000 });
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 20; index++) {
      const field = [`x-${index}`, `${index}`.repeat(200)] as const;
      expect(decode(decoder, encoder.encode([field]))).toEqual([`${field[0]}: ${field[1]}`]);
    }
  }
  const large = ['x-large', 'l'.repeat(5000)] as const;
  expect(encoder.encode([large]).length).toBeGreaterThan(5000);
  expect(encoder.encode([large]).length).toBeGreaterThan(5000);
});
