import { type ScalarStyle, isEscaped } from './yaml-scalar-style.js';

const WIDTH = 80;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\0': '0',
    '\x07': 'a',
    '\b': 'b',
    '\t': 't',
    '\n': 'n',
    '\v': 'v',
    '\f': 'f',
    '\r': 'r',
    '\x1b': 'e',
    '"': '"',
    '\\': '\\',
    '\x85': 'N',
    '\xa0': '_',
    '\u2028': 'L',
    '\u2029': 'P',
  }),
);

/** The column at which a text starts, and the indentation of its further lines; `undefined` if line breaks are not allowed (in a key). */
export interface TextPlace {
  readonly column: number;
  readonly indent: number | undefined;
}

/** Writes a text in one of the styles. As in go-yaml v2, a long text is folded at the first single space after column 80. */
export function writeText(text: string, style: ScalarStyle, { column, indent }: TextPlace): string {
  if (style === 'literal') return literal(text, indent ?? 0);
  const quote = { plain: '', single: "'", double: '"' }[style];
  const escaped = style === 'double' ? escapeDouble : style === 'single' ? escapeSingle : identity;
  if (indent === undefined || column + text.length <= WIDTH) return quote + escaped(text) + quote;
  return quote + folded(text, escaped, { column: column + quote.length, indent }, style === 'double') + quote;
}

const identity = (text: string): string => text;
const escapeSingle = (text: string): string => text.replaceAll("'", "''");

function escapeDouble(text: string): string {
  let out = '';
  for (const char of text) out += char === '"' || char === '\\' || isEscaped(char) ? escapeOf(char) : char;
  return out;
}

function escapeOf(char: string): string {
  const short = SHORT_ESCAPES.get(char);
  if (short !== undefined) return `\\${short}`;
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}

const SINGLE_SPACE = /(?<=[^ ]) (?=[^ ])/;
const FIRST_SPACE = /(?<=[^ ]) (?!$)/;

/** A line can end only at a single space; in double quotes also before several spaces, which a backslash then preserves. */
function folded(text: string, escaped: (text: string) => string, place: Required<TextPlace>, double: boolean): string {
  const [first = '', ...rest] = text.split(double ? FIRST_SPACE : SINGLE_SPACE).map(escaped);
  const lineBreak = `\n${' '.repeat(place.indent ?? 0)}`;
  let out = first;
  let column = place.column + lengthOf(first);
  for (const part of rest) {
    const kept = part.startsWith(' ') ? '\\' : '';
    const gap = column > WIDTH ? lineBreak + kept : ' ';
    out += gap + part;
    column = (column > WIDTH ? gap.length - 1 : column + 1) + lengthOf(part);
  }
  return out;
}

const lengthOf = (text: string): number => [...text].length;

/**
 * Writes the lines unchanged. The header states the indentation if the text starts with white space, and how line breaks at the end are
 * treated.
 */
function literal(text: string, indent: number): string {
  const lines = text.split('\n').map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
  const indentation = /^[ \n]/.test(text) ? '2' : '';
  const chomping = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  return `|${indentation}${chomping}\n${lines.join('\n')}`;
}
