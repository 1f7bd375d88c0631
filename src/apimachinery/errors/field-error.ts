import { escapeHtml } from '../codec/json/go-string.js';

/** Why a field is wrong; the values are `details.causes[].reason` on the wire (apimachinery pkg/util/validation/field). */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError';

/** One finding of a validation. `body` is the message without the field. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly body: string;
}

/** A bad value of a Go type that is a string but not `string` (an enum, types.UID): messages show it as JSON, not Go-quoted. */
export class TypedString {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): string {
    return this.#text;
  }
}

/** A bad value as the message shows it: strings Go-quoted, numbers and booleans plain, everything else as Go's JSON. */
export function renderValue(value: unknown): string {
  return typeof value === 'string' ? quote(value) : escapeHtml(JSON.stringify(value) ?? 'null');
}

/**
 * Go's strconv.Quote: printable runes as they are, the rest escaped. A byte that is no UTF-8 may be in a text as the lone surrogate
 * U+DC00 plus the byte, and is shown as that byte.
 */
export function quote(text: string): string {
  return `"${text.replace(NOT_PLAIN, quoteRune)}"`;
}

/** All but the printable characters of ASCII that need no escape. */
const NOT_PLAIN = /[^ !#-[\]-~]/gu;

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '"': '\\"',
    '\\': '\\\\',
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
  }),
);

function quoteRune(char: string): string {
  const escaped = ESCAPES.get(char);
  if (escaped !== undefined) return escaped;
  if (isPrintable(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code & 0xff).toString(16)}`;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, body: withDetail('Required value', detail) };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, body: withDetail(`Invalid value: ${renderValue(value)}`, detail) };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map(quote).join(', ');
  return {
    type: 'FieldValueNotSupported',
    field,
    body: withDetail(`Unsupported value: ${renderValue(value)}`, values === '' ? '' : `supported values: ${values}`),
  };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, body: withDetail('Forbidden', detail) };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'FieldValueDuplicate', field, body: `Duplicate value: ${renderValue(value)}` };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: 'FieldValueTooLong', field, body: `Too long: may not be more than ${maxBytes} bytes` };
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return { type: 'FieldValueTooMany', field, body: `Too many: ${actual}: must have at most ${max} items` };
}

function withDetail(head: string, detail: string): string {
  return detail === '' ? head : `${head}: ${detail}`;
}
