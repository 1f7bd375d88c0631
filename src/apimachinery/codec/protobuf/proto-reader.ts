import { DecodeError } from '../../errors/decode-error.js';
import { MAX_VALUES, tooManyValues } from '../limits/body-limits.js';

/** An entry of a map takes three, for itself, its key and its value. */
const MAX_FIELDS = 3 * MAX_VALUES;
const EOF = 'unexpected EOF';
/** Up to these sizes, of a string and of the whole buffer, substrings are faster. */
const SHORT = 64;
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
    if (stop - start > SHORT || !this.#isAscii(start, stop)) return this.buffer.toString('utf8', start, stop);
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
