import { type FieldError, invalid, tooLong } from '../errors/field-error.js';
import { isPrintable } from '../go/quote.js';
import { longerThan } from './messages.js';

const MAX_BYTES = 128;
/** Of a longer name, which is refused anyway, the characters at the beginning are looked at. */
const MAX_CHECKED = 4096;
const PLAIN = /^[ -~]*$/;

/** Adds the errors of a field manager's name: at most 128 bytes, printable characters only. */
export function checkFieldManagerName(name: string, path: string, errors: FieldError[]): void {
  if (longerThan(name, MAX_BYTES)) errors.push(tooLong(path, MAX_BYTES));
  if (PLAIN.test(name)) return;
  let position = 0;
  for (const char of name.slice(0, MAX_CHECKED).toWellFormed()) {
    if (!isPrintable(char)) errors.push(invalid(path, name, `invalid character ${codePoint(char)} (at position ${position})`));
    position += Buffer.byteLength(char);
  }
}

/** Formats an unprintable rune like Go's `%#U`. */
function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
