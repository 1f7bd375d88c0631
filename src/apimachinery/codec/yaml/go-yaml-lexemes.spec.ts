import { describe, expect, it } from '@jest/globals';
import { isDecodeError } from '../../errors/decode-error.js';
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
