import { shown } from './go-string.js';

/**
 * Go's time.Parse for the two layouts of the API (Go: time/format.go; apimachinery pkg/apis/meta/v1/{time,micro_time}.go), with its error
 * texts, which clients see.
 */
export class TimeParseError extends Error {
  override readonly name = 'TimeParseError';
}

const TIME_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_TIME_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** Go's zero time, which is written as null or omitted. */
export const ZERO_TIME = '0001-01-01T00:00:00Z';
/** Go's zero time as a MicroTime. */
export const ZERO_MICRO_TIME = '0001-01-01T00:00:00.000000Z';

/** Parses an RFC 3339 time to canonical text: UTC, whole seconds. Throws TimeParseError. */
export function parseTime(text: string): string {
  return isCanonical(text, 20) ? text : new LayoutParser(text, TIME_LAYOUT).parse('drop');
}

/** The same with the nanoseconds that Go keeps in memory, without zeros at the end: `2006-01-02T15:04:05.5Z`. */
export function parsePreciseTime(text: string): string {
  return isCanonical(text, 20) ? text : new LayoutParser(text, TIME_LAYOUT).parse('nanos');
}

/** Parses a time with exactly six fractional digits to canonical text: UTC, six digits. Throws TimeParseError. */
export function parseMicroTime(text: string): string {
  return isCanonical(text, 27) ? text : new LayoutParser(text, MICRO_TIME_LAYOUT).parse('micros');
}

const SEPARATORS: readonly (readonly [number, number])[] = [
  [4, 45],
  [7, 45],
  [10, 84],
  [13, 58],
  [16, 58],
];

/** Whether the text is already canonical; days above 28 are left to the exact parser. */
function isCanonical(text: string, length: number): boolean {
  if (text.length !== length || text.charCodeAt(length - 1) !== 90) return false;
  for (const [at, code] of SEPARATORS) if (text.charCodeAt(at) !== code) return false;
  if (length === 27 && (text.charCodeAt(19) !== 46 || !areDigits(text, 20, 26))) return false;
  if (!areDigits(text, 0, 4)) return false;
  return within(text, 5, 1, 12) && within(text, 8, 1, 28) && within(text, 11, 0, 23) && within(text, 14, 0, 59) && within(text, 17, 0, 59);
}

function areDigits(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

function within(text: string, at: number, low: number, high: number): boolean {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return false;
  const value = tens * 10 + ones;
  return value >= low && value <= high;
}

/** Go's layout parser, applied to one text: consumes elements of the layout from the front of the value. */
class LayoutParser {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  parse(fraction: 'drop' | 'nanos' | 'micros'): string {
    const year = this.#year();
    this.#literal('-');
    const month = this.#number('01', true, 1, 12, 'month');
    this.#literal('-');
    const day = this.#number('02', true, 0, 99, 'day');
    this.#literal('T');
    const hour = this.#number('15', false, 0, 23, 'hour');
    this.#literal(':');
    const minute = this.#number('04', true, 0, 59, 'minute');
    this.#literal(':');
    const second = this.#number('05', true, 0, 59, 'second');
    const digits = fraction === 'micros' ? this.#micros() : this.#nanos();
    const offset = this.#offset();
    if (this.#rest !== '') this.#fail(`: extra text: ${quoteTime(this.#rest)}`);
    const date = new Date(0);
    date.setUTCFullYear(year, month, 0);
    if (day < 1 || day > date.getUTCDate()) this.#fail(': day out of range');
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute, second - offset);
    const shifted = date.getUTCFullYear();
    if (shifted < 0 || shifted > 9999) this.#fail(': year outside of range [0,9999]');
    const seconds = date.toISOString().slice(0, 19);
    return fraction === 'drop' || digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`;
  }

  #year(): number {
    if (!/^[0-9]{4}/.test(this.#rest)) this.#cannotParse(this.#rest, '2006');
    const year = Number(this.#rest.slice(0, 4));
    this.#rest = this.#rest.slice(4);
    return year;
  }

  #literal(char: string): void {
    if (this.#rest[0] !== char) this.#cannotParse(this.#rest, char);
    this.#rest = this.#rest.slice(1);
  }

  /** Parses two digits, or possibly one if not `fixed`. */
  #number(element: string, fixed: boolean, low: number, high: number, name: string): number {
    const digits = (fixed ? /^[0-9]{2}/ : /^[0-9]{1,2}/).exec(this.#rest)?.[0];
    if (digits === undefined) this.#cannotParse(this.#rest, element);
    this.#rest = this.#rest.slice(digits.length);
    const value = Number(digits);
    if (value < low || value > high) this.#fail(`: ${name} out of range`);
    return value;
  }

  /** Parses exactly six digits after a point or comma; Go reads them with atoi, which accepts a sign. */
  #micros(): string {
    const match = /^[.,]([-+]?)([0-9]+)$/.exec(this.#rest.slice(0, 7));
    if (match === null || match[0].length !== 7) this.#cannotParse(this.#rest, '.000000');
    this.#rest = this.#rest.slice(7);
    if (match[1] === '-' && Number(match[2]) !== 0) this.#fail(': fractional second out of range');
    return (match[2] ?? '').padStart(6, '0');
  }

  #nanos(): string {
    const [fraction = ''] = /^[.,][0-9]+/.exec(this.#rest) ?? [];
    this.#rest = this.#rest.slice(fraction.length);
    return fraction.slice(1, 10).replace(/0+$/, '');
  }

  #offset(): number {
    if (this.#rest[0] === 'Z') {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const before = this.#rest;
    if (before.length < 6 || before[3] !== ':') this.#cannotParse(before, 'Z07:00');
    this.#rest = before.slice(6);
    const match = /^(.)([0-9]{2}):([0-9]{2})/s.exec(before);
    if (match === null) this.#cannotParse(before, 'Z07:00');
    const [hours, minutes] = [Number(match[2]), Number(match[3])];
    if (hours > 24) this.#fail(': time zone offset hour out of range');
    if (minutes > 60) this.#fail(': time zone offset minute out of range');
    if (match[1] !== '+' && match[1] !== '-') this.#cannotParse(before, 'Z07:00');
    return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
  }

  #cannotParse(rest: string, element: string): never {
    throw new TimeParseError(
      `parsing time ${quoteTime(this.#text)} as ${quoteTime(this.#layout)}: cannot parse ${quoteTime(rest)} as ${quoteTime(element)}`,
    );
  }

  #fail(detail: string): never {
    throw new TimeParseError(`parsing time ${quoteTime(this.#text)}${detail}`);
  }
}

/** The time package's own quoting: non-ASCII characters are escaped byte by byte. Of a long text, the beginning is quoted. */
function quoteTime(text: string): string {
  const beginning = shown(text);
  const isCut = beginning !== text;
  let out = '"';
  for (const char of isCut ? beginning.slice(0, -1) : text) {
    if (char === '"' || char === '\\') out += `\\${char}`;
    else if (char >= ' ' && char < '\x80') out += char;
    else for (const byte of Buffer.from(char)) out += `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `${out}${isCut ? '…' : ''}"`;
}

/**
 * Microseconds since the epoch of a canonical MicroTime, `2006-01-02T15:04:05.000000Z`. Undefined for anything else, such as null, which is
 * a stored zero time.
 */
export function microsOf(text: string | null | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  const ms = Date.parse(`${text.slice(0, 23)}Z`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(text.slice(23, 26));
}

/** Formats milliseconds since the epoch, and microseconds after them, as canonical text, like metav1.MicroTime. */
export function microTime(milliseconds: number, microseconds = 0): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(microseconds).padStart(3, '0')}Z`;
}

/** The MicroTime of microseconds since the epoch. */
export function fromMicros(micros: number): string {
  const ms = Math.floor(micros / 1000);
  return microTime(ms, micros - ms * 1000);
}
