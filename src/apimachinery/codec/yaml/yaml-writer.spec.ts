import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { YamlWriter } from './yaml-writer.js';

const LONG = 'only the following media types are accepted: application/json;stream=watch, application/cbor-seq';

/** The expectations are what go-yaml v2.4.3 writes. */
describe('YAML as go-yaml writes it', () => {
  it.each([
    ['a text that YAML would read as something else in double quotes', 'yes', '"yes"'],
    ['a time in double quotes', '2026-01-02T03:04:05Z', '"2026-01-02T03:04:05Z"'],
    ['a sexagesimal number in double quotes', '12:30', '"12:30"'],
    ['indicators in single quotes', "it's: #x", "'it''s: #x'"],
    ['colons within words as they are', 'a:b', 'a:b'],
    ['characters that cannot be shown in double quotes', 'a\u0007\u00a0😀', '"a\\a\u00a0\\U0001F600"'],
    ['lines as a literal', 'a\nb\n', '|\n  a\n  b'],
    ['lines that end without a break as a stripped literal', 'a\n\nb', '|-\n  a\n\n  b'],
    ['lines that begin blank with their indentation', ' a\nb', '|2-\n   a\n  b'],
    ['several breaks at the end as a kept literal', 'a\n\n', '|+\n  a\n'],
    ['a space before a line break in double quotes', 'a \nb', '"a \\nb"'],
    ['null', null, 'null'],
    ['numbers', 15, '15'],
    ['empty collections in flow style', { b: [], a: {} }, '\n  a: {}\n  b: []'],
    ['lists at the indentation of their key', ['a', ['b', { c: 1, d: 2 }]], '\n- a\n- - b\n  - c: 1\n    d: 2'],
  ])('writes %s', (_, value, text) => {
    expect(YamlWriter.write({ k: value })).toBe(`k:${text.startsWith('\n') ? '' : ' '}${text}\n`);
  });

  it('breaks long texts at the first space after column 80', () => {
    expect(YamlWriter.write({ message: LONG })).toBe(
      "message: 'only the following media types are accepted: application/json;stream=watch,\n  application/cbor-seq'\n",
    );
    expect(YamlWriter.write({ m: `yes\t${'x'.repeat(80)}  y z` })).toBe(`m: "yes\\t${'x'.repeat(80)}\n  \\ y z"\n`);
  });

  it('orders keys by the numbers in them, letters last', () => {
    const keys = { k10: 1, k2: 1, 'a/b': 1, ab: 1, 'a-1': 1, a: 1, '10': 1, B: 1 };
    expect(YamlWriter.write(keys)).toBe('"10": 1\nB: 1\na: 1\na-1: 1\na/b: 1\nab: 1\nk2: 1\nk10: 1\n');
  });

  it('puts keys that are too long or have several lines after a question mark', () => {
    const key = 'x'.repeat(129);
    expect(YamlWriter.write({ [key]: { a: 1 } })).toBe(`? ${key}\n: a: 1\n`);
    expect(YamlWriter.write({ 'a\nb': [1] })).toBe('? |-\n  a\n  b\n: - 1\n');
  });

  it('a YAML parser reads back what it writes', () => {
    const value = { a: [LONG, `${LONG}\n\n  ${LONG}\n`, '', ' ', 'null', '\u2028'], 'b c': { d: [{}, [[]], { e: -1, f: null }] } };
    expect(parse(YamlWriter.write(value))).toEqual(value);
  });
});
