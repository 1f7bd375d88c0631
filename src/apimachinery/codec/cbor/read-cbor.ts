import { isUtf8 } from 'node:buffer';
import { DecodeError } from '../../errors/api-error.js';
import { MAX_VALUES, tooManyValues } from '../limits/body-limits.js';

/** Upstream's limit is 10,000, but no valid object is nested deeper than this, and walks over the items are recursive. */
const MAX_DEPTH = 500;
/** Values, and the keys of maps. */
const MAX_ITEMS = 2 * MAX_VALUES;
const MAJOR_NAMES = ['positive integer', 'negative integer', 'byte string', 'UTF-8 text string', 'array', 'map', 'tag', 'primitives'];
const LATER_ENCODINGS: Readonly<Record<number, BufferEncoding>> = { 21: 'base64url', 22: 'base64', 23: 'hex' };
const BREAK = 0xff;
const INDEFINITE = -1n;

/** Parses exactly one data item. Throws a DecodeError with the text of the fxamacker library if it is not well-formed. */
export function readCbor(bytes: Buffer): CborNode {
  if (bytes.length === 0) throw new DecodeError('EOF');
  const reader = new CborReader(bytes);
  const node = reader.item(0);
  const rest = bytes.length - reader.at;
  if (rest > 0) throw new DecodeError(`cbor: ${rest} bytes of extraneous data starting at index ${reader.at}`);
  return node;
}

class CborReader {
  readonly #bytes: Buffer;
  at = 0;
  #items = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  item(depth: number): CborNode {
    this.#count();
    if (depth > MAX_DEPTH) throw new DecodeError('cbor: exceeded max nested level 10000');
    const first = this.#byte();
    if (first === BREAK) throw new DecodeError('cbor: unexpected "break" code');
    const major = first >> 5;
    if (major === 7) return this.#primitive(first & 31);
    const argument = this.#argument(major, first & 31);
    switch (major) {
      case 0:
        return { kind: 'positive integer', value: argument };
      case 1:
        return { kind: 'negative integer', value: -1n - argument };
      case 2:
      case 3:
        return this.#string(major, argument);
      case 4:
        return { kind: 'array', items: this.#repeat(argument, () => this.item(depth + 1)) };
      case 5:
        return { kind: 'map', entries: this.#repeat(argument, () => [this.item(depth + 1), this.item(depth + 1)] as const) };
      default:
        return this.#tagged(argument, depth);
    }
  }

  #count(): void {
    if (++this.#items > MAX_ITEMS) throw tooManyValues();
  }

  #argument(major: number, info: number): bigint {
    if (info < 24) return BigInt(info);
    if (info === 31 && major >= 2 && major <= 5) return INDEFINITE;
    if (info > 27) throw new DecodeError(`cbor: invalid additional information ${info} for type ${MAJOR_NAMES[major] ?? ''}`);
    let value = 0n;
    for (const byte of this.#take(1 << (info - 24))) value = (value << 8n) | BigInt(byte);
    return value;
  }

  #string(major: number, length: bigint): CborString | CborRefusal {
    if (length === INDEFINITE) return this.#chunks(major);
    const bytes = this.#take(length);
    if (major === 2) return { kind: 'byte string', value: bytes.toString('utf8') };
    if (!isUtf8(bytes)) return refused('cbor: invalid UTF-8 string');
    return { kind: 'UTF-8 text string', value: bytes.toString('utf8') };
  }

  #chunks(major: number): CborString | CborRefusal {
    let value = '';
    let refusal: CborRefusal | undefined;
    while (this.#bytes[this.at] !== BREAK) {
      this.#count();
      const first = this.#byte();
      const length = this.#argument(major, first & 31);
      if (first >> 5 !== major || length === INDEFINITE) {
        throw new DecodeError(
          `cbor: wrong element type ${MAJOR_NAMES[first >> 5] ?? ''} for indefinite-length ${MAJOR_NAMES[major] ?? ''}`,
        );
      }
      const chunk = this.#string(major, length);
      if (chunk.kind === 'refused') refusal ??= chunk;
      else value += chunk.value;
    }
    this.at++;
    if (refusal) return refusal;
    return { kind: major === 2 ? 'byte string' : 'UTF-8 text string', value };
  }

  #repeat<T>(count: bigint, each: () => T): T[] {
    const out: T[] = [];
    if (count === INDEFINITE) {
      while (this.#bytes[this.at] !== BREAK) out.push(each());
      this.at++;
      return out;
    }
    for (let left = count; left > 0n; left--) out.push(each());
    return out;
  }

  /** The content of a tag. A byte string with an expected-conversion tag is converted to that encoding (RFC 8949, 3.4.5.2). */
  #tagged(tag: bigint, depth: number): CborNode {
    if (tag === 2n || tag === 3n) throw new DecodeError('cbor: data item of cbor type tag is not accepted by protocol: bignum');
    const encoding = LATER_ENCODINGS[Number(tag)];
    if (encoding === undefined || (this.#bytes[this.at] ?? 0) >> 5 !== 2) return this.item(depth + 1);
    const bytes = this.#take(this.#argument(2, this.#byte() & 31));
    return { kind: 'byte string', value: bytes.toString(encoding) };
  }

  #primitive(info: number): CborNode {
    switch (info) {
      case 20:
      case 21:
        return { kind: 'primitives', value: info === 21 };
      case 22:
        return { kind: 'primitives', value: null };
      case 25:
        return this.#float(halfFloat(this.#take(2)));
      case 26:
        return this.#float(this.#take(4).readFloatBE());
      case 27:
        return this.#float(this.#take(8).readDoubleBE());
      case 28:
      case 29:
      case 30:
        throw new DecodeError(`cbor: invalid additional information ${info} for type primitives`);
      default: {
        const value = info === 24 ? this.#byte() : info;
        if (info === 24 && value < 32) throw new DecodeError(`cbor: invalid simple value ${value} for type primitives`);
        return refused(`cbor: data item of cbor type primitives is not accepted by protocol: simple value ${value} is not recognized`);
      }
    }
  }

  #float(value: number): CborNode {
    if (Number.isFinite(value)) return { kind: 'primitives', value };
    const what = Number.isNaN(value) ? 'NaN' : 'infinity';
    throw new DecodeError(`cbor: data item of cbor type primitives is not accepted by protocol: floating-point ${what}`);
  }

  #byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new DecodeError('unexpected EOF');
    this.at++;
    return byte;
  }

  #take(length: number | bigint): Buffer {
    const end = this.at + Number(length);
    if (end > this.#bytes.length) throw new DecodeError('unexpected EOF');
    const bytes = this.#bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }
}

function refused(text: string): CborRefusal {
  return { kind: 'refused', error: new DecodeError(text) };
}

function halfFloat(bytes: Buffer): number {
  const bits = bytes.readUInt16BE();
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 === 1 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** An integer of major type 0 or 1. */
export interface CborInteger {
  readonly kind: 'positive integer' | 'negative integer';
  readonly value: bigint;
}

/** A text or byte string; the profile accepts either as a string. */
interface CborString {
  readonly kind: 'byte string' | 'UTF-8 text string';
  readonly value: string;
}

interface CborArray {
  readonly kind: 'array';
  readonly items: readonly CborNode[];
}

/** A map with its entries in order, duplicates included. */
export interface CborMap {
  readonly kind: 'map';
  readonly entries: readonly (readonly [CborNode, CborNode])[];
}

interface CborPrimitive {
  readonly kind: 'primitives';
  readonly value: boolean | number | null;
}

/** A well-formed item that cannot be decoded: the error is thrown only if its value is used. */
interface CborRefusal {
  readonly kind: 'refused';
  readonly error: DecodeError;
}

/** A data item without its tags. */
export type CborNode = CborInteger | CborString | CborArray | CborMap | CborPrimitive | CborRefusal;

/** Throws the error of a refused item, as `isNull` does; one of the two is called first for every value and key. */
export function isString(node: CborNode): node is CborString {
  if (node.kind === 'refused') throw node.error;
  return node.kind === 'byte string' || node.kind === 'UTF-8 text string';
}

/** Whether a node is null or undefined, which Go decodes alike. Throws the error of a refused item. */
export function isNull(node: CborNode): boolean {
  if (node.kind === 'refused') throw node.error;
  return node.kind === 'primitives' && node.value === null;
}
