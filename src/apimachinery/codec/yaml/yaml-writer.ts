import { type ScalarStyle, isEscaped, scalarStyle } from './yaml-scalar.js';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What precedes a node: nothing, `key:`, or an indicator (`-`, `:`) after which a collection may start on the same line. */
type Before = 'nothing' | 'key' | 'indicator';

/** Longer keys are written on a line of their own after `?`. */
const LONGEST_SIMPLE_KEY = 128;
const INDENT = 2;

/** Writes JSON values as YAML in block style, with the layout of go-yaml v2 (emitterc.go). */
export class YamlWriter {
  readonly #lines: string[] = [];
  #line = '';

  /** Writes a value that consists of JSON types, with a final newline. */
  static write(value: unknown): string {
    const writer = new YamlWriter();
    writer.#node(value as Json, 0, 'nothing');
    writer.#endLine();
    return writer.#lines.join('\n') + '\n';
  }

  #node(value: Json, indent: number, before: Before): void {
    if (typeof value === 'string') this.#text(value, indent, before);
    else if (value === null || typeof value !== 'object') this.#put(before, String(value));
    else if (isList(value)) this.#list(value, indent, before);
    else this.#map(value, indent, before);
  }

  #list(items: readonly Json[], indent: number, before: Before): void {
    if (items.length === 0) return this.#put(before, '[]');
    const inner = before === 'indicator' ? indent + INDENT : indent;
    items.forEach((item, index) => {
      this.#startEntry(inner, index === 0 ? before : 'key');
      this.#line += '-';
      this.#node(item, inner, 'indicator');
    });
  }

  #map(map: { readonly [key: string]: Json }, indent: number, before: Before): void {
    const entries = Object.entries(map).sort(([a], [b]) => naturalOrder(a, b));
    if (entries.length === 0) return this.#put(before, '{}');
    const inner = before === 'nothing' ? indent : indent + INDENT;
    entries.forEach(([key, value], index) => {
      this.#startEntry(inner, index === 0 ? before : 'key');
      this.#entry(key, value, inner);
    });
  }

  #entry(key: string, value: Json, indent: number): void {
    if (Buffer.byteLength(key) <= LONGEST_SIMPLE_KEY && !/[\r\n\x85\u2028\u2029]/.test(key)) {
      this.#line += `${writeText(key, scalarStyle(key, true), { column: 0, indent: undefined })}:`;
      return this.#node(value, indent, 'key');
    }
    this.#line += '?';
    this.#text(key, indent, 'indicator');
    this.#startEntry(indent, 'key');
    this.#line += ':';
    this.#node(value, indent, 'indicator');
  }

  /** The first entry after an indicator continues its line. */
  #startEntry(indent: number, before: Before): void {
    if (before === 'indicator') this.#line += ' ';
    else if (before === 'key') {
      this.#endLine();
      this.#line = ' '.repeat(indent);
    }
  }

  #text(text: string, indent: number, before: Before): void {
    const column = this.#line.length + (before === 'nothing' ? 0 : 1);
    this.#put(before, writeText(text, scalarStyle(text, false), { column, indent: indent + INDENT }));
  }

  #put(before: Before, text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    const gap = before === 'nothing' ? '' : ' ';
    if (lines.length === 0) {
      this.#line += gap + last;
      return;
    }
    this.#lines.push(this.#line + gap + (lines[0] ?? ''), ...lines.slice(1));
    this.#line = last;
  }

  /** A literal text that ends with a line break has already ended its line. */
  #endLine(): void {
    if (this.#line !== '') this.#lines.push(this.#line);
    this.#line = '';
  }
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);

/** Converts JSON text to YAML as sigs.k8s.io/yaml formats it. */
export function toYaml(json: string): string {
  return YamlWriter.write(JSON.parse(json));
}

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
interface TextPlace {
  readonly column: number;
  readonly indent: number | undefined;
}

/** Writes a text in one of the styles. As in go-yaml v2, a long text is folded at the first single space after column 80. */
function writeText(text: string, style: ScalarStyle, { column, indent }: TextPlace): string {
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

const LETTER = /\p{L}/u;

/**
 * The order in which go-yaml v2 writes keys (sorter.go): by code point, but with non-letters before letters, and runs of digits by their
 * value.
 */
function naturalOrder(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const at = left.findIndex((char, index) => char !== right[index]);
  const [x, y] = [left[at], right[at]];
  if (x === undefined || y === undefined) return left.length - right.length;
  if (LETTER.test(x) !== LETTER.test(y)) return LETTER.test(x) ? 1 : -1;
  if (LETTER.test(x)) return codePoint(x) - codePoint(y);
  return numberOrder(left, right, at) || codePoint(x) - codePoint(y);
}

function numberOrder(left: readonly string[], right: readonly string[], at: number): number {
  const withinNumber = (left[at] === '0' || right[at] === '0') && followsNonZeroDigit(left, at);
  const prefix = withinNumber ? '1' : '0';
  const [x, y] = [digitsFrom(left, at), digitsFrom(right, at)];
  return Number(prefix + x) - Number(prefix + y) || x.length - y.length;
}

/** Whether the preceding digits are more than leading zeros. */
function followsNonZeroDigit(chars: readonly string[], at: number): boolean {
  return /[1-9][0-9]*$/.test(chars.slice(0, at).join(''));
}

const digitsFrom = (chars: readonly string[], at: number): string => /^[0-9]*/.exec(chars.slice(at).join(''))?.[0] ?? '';

const codePoint = (char: string): number => char.codePointAt(0) ?? 0;
