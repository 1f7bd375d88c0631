import { gunzipSync } from 'node:zlib';
import { EncodedList } from '../../apimachinery/codec/serializer/serializer.js';
import { Compressor } from './compressor.js';

test('compresses a limited number of bodies at a time and refuses others until one is done', async () => {
  const compressor = new Compressor(2);
  const list = new EncodedList([Buffer.from('a list '), Buffer.from('of two pieces')]);
  const [first, second] = [compressor.compress('text'), compressor.compress(list)];
  expect(compressor.compress('text')).toBeUndefined();
  expect(gunzipSync((await first) ?? '').toString()).toBe('text');
  expect(gunzipSync((await second) ?? '').toString()).toBe('a list of two pieces');
  expect(await compressor.compress('text')).toBeDefined();
});
