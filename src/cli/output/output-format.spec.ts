import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { yamlText } from './output-format.js';

test.each([
  ['C1 controls', 'a\u009b31mb'],
  ['NEL', 'a\u0085b: c'],
  ['DEL', 'a\u007fb'],
  ['C0 controls', 'a\u001b[31mb\tc'],
  ['a bidirectional override', '\u202eabc'],
  ['an invisible character beyond the first plane', 'a\u{e0041}b'],
  ['a line separator', 'a\u2028b'],
  ['a text of several lines', 'a\nb\u009bc\n'],
])('%s cannot act on a terminal, as a value or a key, and mean the same', (_what, text) => {
  const value = { holder: text, [text]: [text, { deep: text }], long: `${'word '.repeat(40)}${text}` };
  const yaml = yamlText(value);
  expect(yaml.replaceAll('\n', '')).toMatch(/^[\x20-\x7e]*$/);
  expect(parse(yaml)).toEqual(value);
});

test('anything else is written as before', () => {
  const value = { name: 'Zoë 👩‍💻', lines: 'one\ntwo\n', number: 1, none: null, list: [{ a: '1' }] };
  expect(yamlText(value)).toBe(stringify(value));
});
