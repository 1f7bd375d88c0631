/**
 * One-dimensional arrays in PostgreSQL's binary format. pg sends a Buffer as a binary parameter, which saves the server the parsing, and
 * this process the escaping, of array literals.
 */
const CHAR_OID = 18;
const BOOL_OID = 16;
const INT8_OID = 20;
const TEXT_OID = 25;
const HEADER_BYTES = 20;

/** `unnest` pads the shorter of its arrays with nulls, so this one stands for a column of nulls. */
const EMPTY = Buffer.alloc(12);

/** Encodes an array of type text. */
export function textArray(values: readonly (string | null)[]): Buffer {
  if (values.every((value) => value === null)) return emptyArray(TEXT_OID);
  let bytes = 0;
  for (const value of values) bytes += 4 + (value === null ? 0 : Buffer.byteLength(value, 'utf8'));
  const buffer = arrayHeader(TEXT_OID, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    const length = value === null ? -1 : buffer.write(value, at + 4, 'utf8');
    buffer.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return buffer;
}

/** Encodes an array of type bigint; the values must be safe integers. */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  if (values.every((value) => value === null)) return emptyArray(INT8_OID);
  let bytes = 0;
  for (const value of values) bytes += value === null ? 4 : 12;
  const buffer = arrayHeader(INT8_OID, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at);
      continue;
    }
    at = buffer.writeInt32BE(8, at);
    at = buffer.writeInt32BE(Math.floor(value / 0x1_0000_0000), at);
    at = buffer.writeUInt32BE(value >>> 0, at);
  }
  return buffer;
}

/** Encodes an array of type boolean. */
export function booleanArray(values: readonly (boolean | null)[]): Buffer {
  if (values.every((value) => value === null)) return emptyArray(BOOL_OID);
  return byteArray(
    BOOL_OID,
    values.map((value) => (value === null ? null : Number(value))),
  );
}

/** Encodes an array of PostgreSQL's type `"char"`; each value must be one ASCII character. */
export function charArray(values: readonly string[]): Buffer {
  return byteArray(
    CHAR_OID,
    values.map((value) => value.charCodeAt(0)),
  );
}

function byteArray(oid: number, values: readonly (number | null)[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += value === null ? 4 : 5;
  const buffer = arrayHeader(oid, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : 1, at);
    if (value !== null) at = buffer.writeUInt8(value, at);
  }
  return buffer;
}

function arrayHeader(oid: number, length: number, elementBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + elementBytes);
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(1, 4); // may hold nulls
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16); // lower bound
  return buffer;
}

function emptyArray(oid: number): Buffer {
  const buffer = Buffer.from(EMPTY);
  buffer.writeInt32BE(oid, 8);
  return buffer;
}
