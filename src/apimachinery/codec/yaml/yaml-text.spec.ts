import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDecodeError } from '../../errors/api-error.js';
import { plainJson } from './yaml-text.js';
import { yamlToJson } from './yaml-to-json.js';

function json(yaml: string): string {
  return yamlToJson(Buffer.from(yaml)).json;
}

function problem(yaml: string): string {
  try {
    return `no problem: ${json(yaml)}`;
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
}

describe('YAML as go-yaml reads it, where libraries differ', () => {
  it.each([
    ['[-]', '["-"]'],
    ['[a, -]', '["a","-"]'],
    ['{x: -}', '{"x":"-"}'],
    ['{x: -, b: z}', '{"b":"z","x":"-"}'],
    ['[-1, -]', '[-1,"-"]'],
    ['- -\n- a', '[[null],"a"]'],
    ['{x: [-, -], z: -}', '{"x":["-","-"],"z":"-"}'],
    ['a: \ufeffb', '{"a":"\ufeffb"}'],
    ['a: b\n', '{"a":"b"}'],
    ['a:\n  b:\tc\n', '{"a":{"b":"c"}}'],
    ['{a: b,\n\tc: d}', '{"a":"b","c":"d"}'],
    [`? ${'k'.repeat(1100)}\n: v\n`, `{"${'k'.repeat(1100)}":"v"}`],
    [`${'k'.repeat(1024)}: v\n`, `{"${'k'.repeat(1024)}":"v"}`],
  ])('%j is read as %s', (yaml, expected) => {
    expect(json(yaml)).toBe(expected);
  });

  it.each([
    ['a: "\\/"', 'yaml: found unknown escape character'],
    ['a: b\nc: "\\ud83d\\ude00"', 'yaml: line 2: found invalid Unicode character escape code'],
    ['a: "\\U00110000"', 'yaml: found invalid Unicode character escape code'],
    ['a: b\n\t\nc: d\n', 'yaml: line 2: found character that cannot start any token'],
    ['\t# comment\na: b\n', 'yaml: found character that cannot start any token'],
    ['%YAML 1.2\n---\na: b\n', 'yaml: found incompatible YAML document'],
    [`{${'k'.repeat(1030)}: v}`, "yaml: did not find expected ',' or '}'"],
    [`{"${'k'.repeat(1030)}": v}`, "yaml: did not find expected ',' or '}'"],
  ])('%j is refused: %s', (yaml, expected) => {
    expect(problem(yaml)).toBe(expected);
  });

  it('similar escapes are accepted', () => {
    expect(json('a: "\\\\/ \\u00e9\\x41"')).toBe('{"a":"\\\\/ éA"}');
  });
});

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
