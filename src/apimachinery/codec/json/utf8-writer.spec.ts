import { Utf8Writer } from './utf8-writer.js';

const written = (expected: number, texts: readonly string[]) => {
  const writer = new Utf8Writer(expected);
  for (const text of texts) writer.write(text);
  return writer.finish();
};

describe('UTF-8 written piece by piece', () => {
  const texts = ['{"a":"', 'ä€', '😀', '', '\u0000', 'x'.repeat(1000), '"}'];

  it.each([0, 1, 10, 1022, 5000])('is that of the whole text, where %i bytes were expected', (expected) => {
    expect(written(expected, texts)).toEqual(Buffer.from(texts.join('')));
  });

  it('keeps what was written before it has to grow', () => {
    const many = Array.from({ length: 500 }, (_, index) => `${index}é,`);
    expect(written(8, many).toString()).toBe(many.join(''));
  });
});
