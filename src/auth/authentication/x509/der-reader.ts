/** Bytes that are not the expected DER (docs/decisions/0024-own-reader-of-certificate-fields.md says why the reader is our own). */
export class DerError extends Error {}

/** One element: its tag byte and its content. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
}

export const BOOLEAN = 0x01;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
const OID = 0x06;
export const SEQUENCE = 0x30;

/** Parses consecutive DER elements. Throws DerError. */
export function readElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const { start, end } = contentOf(bytes, at);
    elements.push({ tag: byteAt(bytes, at), content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

/** Parses bytes that are one SEQUENCE, and returns its elements. Throws DerError. */
export function readSequence(bytes: Buffer): DerElement[] {
  const [sequence, ...rest] = readElements(bytes);
  if (sequence?.tag !== SEQUENCE || rest.length > 0) throw new DerError('expected one sequence');
  return readElements(sequence.content);
}

/** The element at this place. Throws DerError if there is none. */
export function elementAt(elements: readonly DerElement[], at: number): DerElement {
  const element = elements[at];
  if (!element) throw new DerError('missing element');
  return element;
}

/** Reads a BOOLEAN. Throws DerError. */
export function readBoolean({ tag, content }: DerElement): boolean {
  if (tag !== BOOLEAN || content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw new DerError('expected a boolean');
  return content[0] === 0xff;
}

/** Formats an OBJECT IDENTIFIER with dots. Throws DerError, also for numbers that are not in their shortest form or above 2^31. */
export function readOid({ tag, content }: DerElement): string {
  if (tag !== OID || content.length === 0 || content.length > 64) throw new DerError('expected an object identifier');
  const numbers: number[] = [];
  let value = 0;
  let begun = false;
  for (const byte of content) {
    if (!begun && byte === 0x80) throw new DerError('expected an object identifier');
    value = value * 128 + (byte & 0x7f);
    if (value > 0x7fffffff) throw new DerError('expected an object identifier');
    begun = byte >= 0x80;
    if (!begun) {
      numbers.push(value);
      value = 0;
    }
  }
  if (begun) throw new DerError('expected an object identifier');
  const [first = 0, ...rest] = numbers;
  const top = Math.min(Math.floor(first / 40), 2);
  return [top, first - top * 40, ...rest].join('.');
}

/** Rejects multi-byte tags, and lengths that are indefinite or not in their shortest form, which DER certificates do not have. */
function contentOf(bytes: Buffer, at: number): { start: number; end: number } {
  if ((byteAt(bytes, at) & 0x1f) === 0x1f) throw new DerError('expected a tag of one byte');
  const first = byteAt(bytes, at + 1);
  let [start, length] = [at + 2, first];
  if (first >= 0x80) {
    const size = first & 0x7f;
    if (size === 0 || size > 4 || start + size > bytes.length) throw new DerError('expected a length');
    length = bytes.readUIntBE(start, size);
    if (length < 0x80 || length < 2 ** (8 * (size - 1))) throw new DerError('expected the shortest form of a length');
    start += size;
  }
  if (start + length > bytes.length) throw new DerError('fewer bytes than declared');
  return { start, end: start + length };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new DerError('fewer bytes than declared');
  return byte;
}
