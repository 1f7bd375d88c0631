import { readsAsString } from './yaml-scalar.js';

/** The style in which go-yaml writes a string. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

// Characters that go-yaml v2 escapes (yamlprivateh.go, is_printable), and the line breaks of YAML 1.1 other than \n.
const ESCAPED = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const SPACE_BEFORE_BREAK = / \n/;
const INDICATOR_AT_START = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t\n]|$)|---|\.\.\.)/;
const INDICATOR_WITHIN = /:(?:[ \t\n]|$)|[ \t\n]#/;

/**
 * The style that go-yaml v2 chooses for a text (encode.go, stringv; emitterc.go, select_scalar_style). `key`: for a key on the line of its
 * value.
 */
export function scalarStyle(text: string, key: boolean): ScalarStyle {
  if (ESCAPED.test(text)) return 'double';
  if (text.includes('\n')) return key || text.endsWith(' ') || SPACE_BEFORE_BREAK.test(text) ? 'double' : 'literal';
  if (!readsAsString(text)) return 'double';
  const needsQuotes = text.startsWith(' ') || text.endsWith(' ') || INDICATOR_AT_START.test(text) || INDICATOR_WITHIN.test(text);
  return needsQuotes ? 'single' : 'plain';
}

/** Whether a character appears as an escape sequence in double quotes. */
export const isEscaped = (char: string): boolean => char === '\n' || ESCAPED.test(char);
