import { gunzipSync } from 'node:zlib';
import { EncodedList } from '../../apimachinery/codec/serializer/serializer.js';
import { Compressor, warningHeaders } from './send-response.js';

test('compresses a limited number of bodies at a time and refuses others until one is done', async () => {
  const compressor = new Compressor(2);
  const list = new EncodedList([Buffer.from('a list '), Buffer.from('of two pieces')]);
  const [first, second] = [compressor.compress('text'), compressor.compress(list)];
  expect(compressor.compress('text')).toBeUndefined();
  expect(gunzipSync((await first) ?? '').toString()).toBe('text');
  expect(gunzipSync((await second) ?? '').toString()).toBe('a list of two pieces');
  expect(await compressor.compress('text')).toBeDefined();
});

const utf8 = (values: string[]) => values.map((value) => Buffer.from(value, 'latin1').toString('utf8'));

describe('warningHeaders', () => {
  it('quotes texts', () => {
    expect(warningHeaders(['unknown field "spec.foo"', 'a\\b'])).toEqual(['299 - "unknown field \\"spec.foo\\""', '299 - "a\\\\b"']);
  });

  it('omits texts that a header cannot contain', () => {
    expect(warningHeaders(['line\nbreak', 'half \ud800', 'fine'])).toEqual(['299 - "fine"']);
  });

  it('sends non-ASCII text as UTF-8 bytes', () => {
    expect(utf8(warningHeaders(['größe 😀']))).toEqual(['299 - "größe 😀"']);
  });

  it('truncates every text to 256 runes if the total exceeds 4096', () => {
    const long = '😀'.repeat(300);
    expect(utf8(warningHeaders([long]))).toEqual([`299 - "${long}"`]);
    const cut = utf8(warningHeaders([long, 'x'.repeat(4000)]));
    expect(cut).toEqual([`299 - "${'😀'.repeat(256)}"`, `299 - "${'x'.repeat(256)}"`]);
  });

  it('omits texts after the first 4096 runes', () => {
    const texts = Array.from({ length: 100_000 }, (_, index) => `${index} `.padEnd(100, 'x'));
    expect(warningHeaders(texts)).toHaveLength(41);
  });
});
