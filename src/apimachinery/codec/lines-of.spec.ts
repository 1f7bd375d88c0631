import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { linesOf } from './lines-of.js';

/** The lines of a text that arrives in chunks of so many bytes. */
async function lines(text: string, size: number, maxLength?: number): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
  }
  const found: string[] = [];
  for await (const line of linesOf(chunks(), maxLength)) found.push(line);
  return found;
}

test.each([
  ['', []],
  ['a', ['a']],
  ['a\n', ['a']],
  ['\na\r\n\nb\r', ['', 'a', '', 'b']],
  ['{"holder":"a\u2028b\u2029c\u0085d"}\n{}\n', ['{"holder":"a\u2028b\u2029c\u0085d"}', '{}']],
])('%j', async (text, expected) => {
  for (const size of [1, 2, 3, 1000]) expect(await lines(text, size)).toEqual(expected);
});

test('a line that does not end is read up to a limit', async () => {
  await expect(lines('ab\nabcdef', 1, 4)).rejects.toThrow('a line is longer than 4 characters');
  expect(await lines('abcd\nabcd\nabcd', 3, 4)).toEqual(['abcd', 'abcd', 'abcd']);
});

test('objects in JSON, one a line, arrive as they were written, however they are cut', async () => {
  const objects = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })));
  await fc.assert(
    fc.asyncProperty(objects, fc.integer({ min: 1, max: 40 }), async (written, size) => {
      const text = written.map((object) => `${JSON.stringify(object)}\n`).join('');
      expect((await lines(text, size)).map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(JSON.stringify(written)));
    }),
  );
});
