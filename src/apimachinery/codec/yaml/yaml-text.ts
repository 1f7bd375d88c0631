import { Lexer } from 'yaml';
import { DecodeError } from '../../errors/api-error.js';
import { goString, sortKeys } from '../../go/go-string.js';
import { scanText } from '../json/json-decoder.js';
import { hasTooManyValues } from '../limits/body-limits.js';

/** Decodes the bytes of a YAML body. Throws the error of libyaml's reader for invalid UTF-8 and for control characters. */
export function yamlText(body: Buffer): string {
  const text = body.toString('utf8');
  if (text.includes('\ufffd')) checkUtf8(body);
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text;
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/.test(clean)) {
    throw new DecodeError('yaml: control characters are not allowed');
  }
  return clean;
}

function checkUtf8(bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    const width = widthOf(bytes[at] ?? 0);
    if (width === 0) throw new DecodeError('yaml: invalid leading UTF-8 octet');
    if (at + width > bytes.length) throw new DecodeError('yaml: incomplete UTF-8 octet sequence');
    checkSequence(bytes.subarray(at, at + width));
    at += width;
  }
}

/** The smallest code point that requires this many bytes. */
const SMALLEST = [0, 0, 0x80, 0x800, 0x10000];

function checkSequence(octets: Buffer): void {
  const width = octets.length;
  let value = (octets[0] ?? 0) & (width === 1 ? 0x7f : 0xff >> (width + 1));
  for (const octet of octets.subarray(1)) {
    if ((octet & 0xc0) !== 0x80) throw new DecodeError('yaml: invalid trailing UTF-8 octet');
    value = (value << 6) | (octet & 0x3f);
  }
  if (value < (SMALLEST[width] ?? 0)) throw new DecodeError('yaml: invalid length of a UTF-8 sequence');
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) throw new DecodeError('yaml: invalid Unicode character');
}

function widthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if ((lead & 0xe0) === 0xc0) return 2;
  if ((lead & 0xf0) === 0xe0) return 3;
  return (lead & 0xf8) === 0xf0 ? 4 : 0;
}

/** The lexeme that precedes the text of a plain scalar. */
const PLAIN = '\x1f';
/** A dash, followed by the beginning of a text. */
const EMPTY_ITEM = `-${PLAIN}`;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;
/** The error for a tab at the start of a token. */
const CANNOT_START = 'found character that cannot start any token';

/**
 * The lexemes of a YAML text as go-yaml v2 reads them, where the library differs: a `-` before the end of an item in a flow collection is a
 * text, `\/` is not an escape, escapes of surrogates are not characters, and in block context no line starts with a tab. Throws a
 * DecodeError with the texts of libyaml's scanner.
 */
export function* goYamlLexemes(text: string): Generator<string, void> {
  const scan = new LexemeScan();
  let dash = '';
  for (const lexeme of new Lexer().lex(text)) {
    // The library reads the dash as the beginning of a list with an empty item.
    if (dash === '-' && lexeme === PLAIN) {
      dash = EMPTY_ITEM;
      continue;
    }
    const isText = isTextBefore(lexeme, dash);
    yield* isText ? [PLAIN, '-'] : dash;
    const isSpent = isText && dash === EMPTY_ITEM;
    dash = '';
    if (isSpent) continue;
    scan.take(lexeme);
    if (lexeme === '-' && scan.flow > 0) dash = lexeme;
    else yield lexeme;
  }
  yield* dash;
}

/** Whether the preceding dash is a text, judged by what follows it. */
function isTextBefore(lexeme: string, dash: string): boolean {
  if (dash === '') return false;
  return dash === EMPTY_ITEM ? lexeme === '' : /^[,[\]{}]/.test(lexeme);
}

/** The position of lexemes in the text, and whether they are allowed there. */
class LexemeScan {
  /** Number of open flow collections. */
  flow = 0;
  #line = 0;
  #atLineStart = true;

  take(lexeme: string): void {
    if (this.#atLineStart && this.flow === 0 && /^[ \t]*\t[ \t]*$/.test(lexeme)) throw scanError(CANNOT_START, this.#line);
    if (lexeme.startsWith('"')) checkEscapes(lexeme, this.#line);
    if (lexeme === '[' || lexeme === '{') this.flow += 1;
    else if (lexeme === ']' || lexeme === '}') this.flow -= 1;
    this.#line += countLines(lexeme);
    if (!/^ *$/.test(lexeme)) this.#atLineStart = lexeme.endsWith('\n');
  }
}

function checkEscapes(quoted: string, line: number): void {
  if (!quoted.includes('\\')) return;
  for (const [, short, long, other] of quoted.matchAll(ESCAPE)) {
    if (other === '/') throw scanError('found unknown escape character', line);
    const code = parseInt(short ?? long ?? '0', 16);
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) throw scanError('found invalid Unicode character escape code', line);
  }
}

function scanError(problem: string, line: number): DecodeError {
  return new DecodeError(line === 0 ? `yaml: ${problem}` : `yaml: line ${line + 1}: ${problem}`);
}

function countLines(lexeme: string): number {
  let lines = 0;
  for (let at = lexeme.indexOf('\n'); at >= 0; at = lexeme.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/**
 * What YAML reads in another way than JSON or refuses: `\/`, tabs, line breaks and byte order marks of Unicode in strings, space before a
 * colon. Texts where these have no effect are left to the YAML parser too.
 */
const YAML_DIFFERS = /\\\/|[\t\r\u0085\u2028\u2029\ufeff]|[ \n]:/;
/** A longer key may be beyond the limit of YAML (libyaml's simple keys). */
const MAX_KEY = 256;

class Unlike extends Error {}

/**
 * The compact JSON, with sorted keys, of a JSON object that YAML reads as the same; undefined for any other text. `body` are the bytes of the
 * text.
 */
export function plainJson(text: string, body: Buffer): string | undefined {
  if (!text.startsWith('{') || YAML_DIFFERS.test(text) || hasTooManyValues(body)) return undefined;
  const value = parsed(text);
  if (value === undefined) return undefined;
  const scan = scanText(text);
  if (!scan.plain) return undefined;
  const writer = new Writer();
  try {
    const json = writer.value(value);
    // Fewer members: some were duplicates, which the YAML parser reports.
    return writer.members === scan.members ? json : undefined;
  } catch (error) {
    if (error instanceof Unlike) return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class Writer {
  members = 0;

  value(value: unknown): string {
    if (typeof value === 'string') return goString(value);
    if (Array.isArray(value)) return `[${value.map((item) => this.value(item)).join(',')}]`;
    return typeof value === 'object' && value !== null ? this.#object(value as Record<string, unknown>) : String(value);
  }

  #object(object: Record<string, unknown>): string {
    const keys = sortKeys(Object.keys(object));
    this.members += keys.length;
    const members = keys.map((key) => {
      if (key.length > MAX_KEY) throw new Unlike();
      return `${goString(key)}:${this.value(object[key])}`;
    });
    return `{${members.join(',')}}`;
  }
}
