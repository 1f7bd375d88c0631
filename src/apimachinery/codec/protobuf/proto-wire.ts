import { DecodeError } from '../../errors/api-error.js';
import { MAX_VALUES, tooManyValues } from '../limits/body-limits.js';

/** An entry of a map takes three, for itself, its key and its value. */
const MAX_FIELDS = 3 * MAX_VALUES;
const EOF = 'unexpected EOF';
/** Up to these sizes, of a string and of the whole buffer, substrings are faster. */
const SHORT_READ = 64;
const SMALL = 64 * 1024;
const OVERFLOW = 'proto: integer overflow';

/** Reads the primitives of protobuf, with the errors of gogo's generated code. */
export class ProtoReader {
  readonly buffer: Buffer;
  at = 0;
  #fields = 0;
  #text: string | undefined;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  /** Reads a tag, length or other small unsigned number. */
  uint(end: number): number {
    if (this.at < end) {
      const byte = this.buffer[this.at] ?? 0;
      if (byte < 0x80) {
        this.at++;
        return byte;
      }
    }
    return this.#long(end);
  }

  #long(end: number): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; i++) {
      if (this.at >= end) throw new DecodeError(EOF);
      const byte = this.buffer[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw new DecodeError(OVERFLOW);
  }

  /** Reads a signed integer, in two's complement of the given width; rounded above 2^53. */
  int(end: number, bits: 32 | 64): number {
    const start = this.at;
    const value = this.uint(end);
    if (bits === 32) return value < 2 ** 53 ? value | 0 : Number(BigInt.asIntN(32, this.#exact(start)));
    return value < 2 ** 53 ? value : Number(BigInt.asIntN(64, this.#exact(start)));
  }

  /** Reads the length of a length-delimited value and returns its end; the position is then at its first byte. */
  delimited(end: number): number {
    const length = this.uint(end);
    if (length >= 2 ** 63) throw new DecodeError('proto: negative length found during unmarshaling');
    if (this.at + length > end) throw new DecodeError(EOF);
    return this.at + length;
  }

  /**
   * Reads a string. Short ASCII strings are cut from the text of the whole buffer, which saves a call of the decoder for each; invalid
   * UTF-8 becomes U+FFFD.
   */
  string(end: number): string {
    const stop = this.delimited(end);
    const start = this.at;
    this.at = stop;
    if (stop - start > SHORT_READ || !this.#isAscii(start, stop)) return this.buffer.toString('utf8', start, stop);
    if (this.buffer.length > SMALL) return this.buffer.toString('latin1', start, stop);
    this.#text ??= this.buffer.toString('latin1');
    return this.#text.slice(start, stop);
  }

  #isAscii(start: number, stop: number): boolean {
    for (let at = start; at < stop; at++) if ((this.buffer[at] ?? 0) >= 0x80) return false;
    return true;
  }

  /** Calls `take` for every field up to `end`; it consumes the value, or returns false to have it skipped. */
  fields(end: number, message: string, take: (tag: number) => boolean): void {
    while (this.at < end) {
      const tag = this.tag(end, message);
      if (!take(tag)) this.skip(tag % 8, end);
    }
  }

  /** Reads the number and wire type of a field. `message` is Go's name of the message, for errors. */
  tag(end: number, message: string): number {
    const tag = this.entryTag(end);
    if (tag < 0x80 && tag >= 8 && (tag & 7) !== 4) return tag;
    if (tag % 8 === 4) throw new DecodeError(`proto: ${message}: wiretype end group for non-group`);
    const number = tag < 2 ** 34 ? Math.floor(tag / 8) | 0 : (Math.floor(tag / 8) % 2 ** 32) | 0;
    if (number <= 0) throw new DecodeError(`proto: ${message}: illegal tag ${number} (wire type ${tag})`);
    return tag;
  }

  /** Reads the tag of a field in a message of which only known fields matter. Throws a DecodeError if the body has too many fields. */
  entryTag(end: number): number {
    if (++this.#fields > MAX_FIELDS) throw tooManyValues();
    return this.uint(end);
  }

  /** Skips a field with an unknown number, groups included. */
  skip(wireType: number, end: number): void {
    if (wireType === 0) this.uint(end);
    else if (wireType === 1) this.#pass(8, end);
    else if (wireType === 2) this.at = this.delimited(end);
    else if (wireType === 5) this.#pass(4, end);
    else if (wireType === 3) this.#skipGroup(end);
    else throw new DecodeError(`proto: illegal wireType ${wireType}`);
  }

  #skipGroup(end: number): void {
    let depth = 1;
    while (depth > 0) {
      const wireType = this.entryTag(end) % 8;
      if (wireType === 3) depth++;
      else if (wireType === 4) depth--;
      else this.skip(wireType, end);
    }
  }

  #pass(bytes: number, end: number): void {
    if (this.at + bytes > end) throw new DecodeError(EOF);
    this.at += bytes;
  }

  #exact(start: number): bigint {
    let value = 0n;
    for (let at = start, shift = 0n; at < this.at; at++, shift += 7n) value |= BigInt((this.buffer[at] ?? 0) & 0x7f) << shift;
    return value;
  }
}

const INITIAL_BYTES = 64 * 1024;
/** Strings up to this length are copied character by character, which is faster than a call of the encoder. */
const SHORT_WRITE = 256;

/**
 * Writes protobuf back to front, as gogo does: the content of a message is written before its length and tag, so lengths need not be
 * computed beforehand. One buffer is reused; `take` copies the result from it.
 */
export class ProtoWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  /** Start of the written part. */
  #at = INITIAL_BYTES;

  /** Bytes written so far; the difference to an earlier value is the length of what was written since. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  /** Writes a safe integer; a negative one takes ten bytes, as in Go. */
  varint(value: number): void {
    if (value >= 0 && value < 0x80) this.#buffer[this.#reserve(1)] = value;
    else if (value < 0) this.#negative(value);
    else this.#long(value);
  }

  /** Writes a string's bytes in UTF-8, without tag and length. */
  string(value: string): void {
    const size = value.length;
    if (size <= SHORT_WRITE && this.#ascii(value)) return;
    const bytes = Buffer.byteLength(value);
    const at = this.#reserve(bytes);
    this.#buffer.write(value, at, bytes, 'utf8');
  }

  /** Writes the tag and length of everything written since the length was `before`. */
  head(tag: number, before: number): void {
    const length = this.length - before;
    if (length < 0x80 && tag < 0x80) {
      const at = this.#reserve(2);
      this.#buffer[at] = tag;
      this.#buffer[at + 1] = length;
    } else {
      this.varint(length);
      this.varint(tag);
    }
  }

  /** Writes bytes, without tag and length. */
  bytes(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#buffer.set(value, at);
  }

  /** Returns a copy of what has been written, and clears the writer. */
  take(): Buffer {
    const out = Buffer.allocUnsafe(this.length);
    this.#buffer.copy(out, 0, this.#at);
    this.#at = this.#buffer.length;
    if (this.#buffer.length > 16 * INITIAL_BYTES) this.reset();
    return out;
  }

  /** Discards what has been written. */
  reset(): void {
    this.#buffer = Buffer.allocUnsafe(INITIAL_BYTES);
    this.#at = INITIAL_BYTES;
  }

  #long(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    let at = this.#reserve(size);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[at++] = (rest % 0x80) | 0x80;
    this.#buffer[at] = rest;
  }

  #ascii(value: string): boolean {
    const size = value.length;
    const start = this.#reserve(size);
    for (let i = 0; i < size; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) {
        this.#at = start + size;
        return false;
      }
      this.#buffer[start + i] = code;
    }
    return true;
  }

  /** Negative integers are written as 64-bit two's complement: always ten bytes. */
  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    let at = this.#reserve(10);
    for (let i = 0; i < 9; i++, rest >>= 7n) this.#buffer[at++] = Number(rest & 0x7fn) | 0x80;
    this.#buffer[at] = Number(rest);
  }

  /** Reserves space before the written bytes and returns its index. */
  #reserve(size: number): number {
    if (this.#at < size) this.#grow(size);
    return (this.#at -= size);
  }

  #grow(size: number): void {
    const written = this.length;
    const next = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, written + size));
    this.#buffer.copy(next, next.length - written, this.#at);
    this.#at = next.length - written;
    this.#buffer = next;
  }
}

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar (Howard Hinnant's days_from_civil). */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468;
}

/** Seconds since 1970 of a canonical time. */
export function secondsOf(text: string): number {
  const pair = (at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
  const days = daysFromCivil(pair(0) * 100 + pair(2), pair(5), pair(8));
  return days * 86400 + pair(11) * 3600 + pair(14) * 60 + pair(17);
}

/** Seconds of the first and last time that canonical text can represent: the years 0 to 9999. */
const FIRST = -62167219200;
const LAST = 253402300799;

/** Formats a date and time without fraction and zone: `2006-01-02T15:04:05`. Undefined outside the years 0 to 9999. */
export function civilText(seconds: number): string | undefined {
  if (seconds < FIRST || seconds > LAST) return undefined;
  const days = Math.floor(seconds / 86400);
  const rest = seconds - days * 86400;
  return `${dateText(days)}T${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
}

/** The date of a day number, counted from 1970-01-01 (Howard Hinnant's civil_from_days). */
function dateText(days: number): string {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36524) + Math.floor(dayOfEra / 146096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${year < 1000 ? String(year).padStart(4, '0') : year}-${two(month)}-${two(day)}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
