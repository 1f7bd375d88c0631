import { escapeHtml, quote, shown } from '../go/go-string.js';

/** Why a field is invalid; the values are `details.causes[].reason` on the wire (apimachinery pkg/util/validation/field). */
type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError';

/** One validation error. `body` is the message without the field. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly body: string;
}

/** An error about a value, which is formatted only if it is shown: of many errors, a response has the first. */
class ValueError implements FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly #text: (value: string) => string;
  readonly #value: unknown;

  constructor(type: FieldErrorType, field: string, value: unknown, text: (value: string) => string) {
    this.type = type;
    this.field = field;
    this.#text = text;
    this.#value = value;
  }

  get body(): string {
    return this.#text(renderValue(this.#value));
  }
}

/** An invalid value of a Go string type other than `string` (an enum, types.UID): messages show it as JSON, not Go-quoted. */
export class TypedString {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): string {
    return this.#text;
  }
}

/** Formats an invalid value for messages: strings Go-quoted, numbers and booleans plain, everything else as Go's JSON. */
function renderValue(value: unknown): string {
  return typeof value === 'string' ? quote(value) : escapeHtml(shown(JSON.stringify(value) ?? 'null'));
}

/** A required value is missing. */
export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, body: withDetail('Required value', detail) };
}

/** A value violates a rule, which `detail` states. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return new ValueError('FieldValueInvalid', field, value, (text) => withDetail(`Invalid value: ${text}`, detail));
}

/** A value is not one of `supported`, which the message lists in the given order. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  return new ValueError('FieldValueNotSupported', field, value, (text) => {
    const values = supported.map(quote).join(', ');
    return withDetail(`Unsupported value: ${text}`, values === '' ? '' : `supported values: ${values}`);
  });
}

/** A field must not be set here. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, body: withDetail('Forbidden', detail) };
}

/** A list contains the value twice. */
export function duplicate(field: string, value: unknown): FieldError {
  return new ValueError('FieldValueDuplicate', field, value, (text) => `Duplicate value: ${text}`);
}

/** A text exceeds its limit in bytes. Like upstream's, the message omits the value. */
export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: 'FieldValueTooLong', field, body: `Too long: may not be more than ${maxBytes} bytes` };
}

/** A list has more than `max` items. */
export function tooMany(field: string, actual: number, max: number): FieldError {
  return { type: 'FieldValueTooMany', field, body: `Too many: ${actual}: must have at most ${max} items` };
}

function withDetail(head: string, detail: string): string {
  return detail === '' ? head : `${head}: ${detail}`;
}
