import fc from 'fast-check';
import { plainJson } from './plain-json.js';
import { yamlToJson } from './yaml-to-json.js';

/** A comment, after which the text is no longer JSON. */
const readByTheParser = (text: string) => yamlToJson(Buffer.from(`${text}\n# end`)).json;
const plain = (text: string) => plainJson(text, Buffer.from(text));

/** What yamlText refuses before anything is parsed, and JSON leaves unescaped. */
const REFUSED = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;

test('JSON that is not left to the YAML parser has the result that the parser gives it', () => {
  const key = fc.oneof(fc.constantFrom('<<', 'a', 'true', '1', '~', '__proto__', ''), fc.string({ unit: 'grapheme', maxLength: 5 }));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('\\', '/', '"', '\n', '# a', 'a: b', '*a', '&a', '%a', '---', ' :', '\u0085', '\u2028', '\ufeff'),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  let taken = 0;
  fc.assert(
    fc.property(fc.dictionary(key, tree, { maxKeys: 4 }), fc.constantFrom(0, 1, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      fc.pre(!REFUSED.test(text));
      const json = plain(text);
      if (json === undefined) return;
      taken++;
      expect(json).toBe(readByTheParser(text));
    }),
    { numRuns: 2000 },
  );
  expect(taken).toBeGreaterThan(1000);
});

test.each([
  '{"a": 1, "a": 2}',
  '{"a": "\\/"}',
  '{"a"\n: 1}',
  '{"a": 1.5}',
  '{"a": 1e3}',
  '{"a": "\\ud800"}',
  '{"a":\t1}',
  '{"a": 1} # end',
  '[1]',
  `{"${'k'.repeat(2000)}": 1}`,
])('the YAML parser reads %s', (text) => {
  expect(plain(text)).toBeUndefined();
});
