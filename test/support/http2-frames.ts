/**
 * Frames as a client might send them, well-formed or not (RFC 9113 section 6), for the attacks, the differential tests and the cost
 * fuzzer.
 */
export const Type = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
  PRIORITY_UPDATE: 16,
} as const;

export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;
export const PADDED = 8;
export const PRIORITY = 32;
export const MAX_CONCURRENT_STREAMS = 3;
export const INITIAL_WINDOW_SIZE = 4;
export const HEAD_BYTES = 9;
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const MAX_WINDOW = 2 ** 31 - 1;
export const DEFAULT_WINDOW = 65_535;
export const MAX_FRAME = 16_384;

type Bytes = readonly number[] | Uint8Array;

/** `length`: the length stated in the header, if not that of the payload. */
export function frame(type: number, flags: number, stream: number, payload: Bytes = [], length = payload.length): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES + payload.length);
  bytes.writeUIntBE(length, 0, 3);
  bytes.set([type, flags], 3);
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

export const headers = (stream: number, block: Bytes, flags = END_HEADERS | END_STREAM) => frame(Type.HEADERS, flags, stream, block);
export const continuation = (stream: number, block: Bytes, flags = END_HEADERS) => frame(Type.CONTINUATION, flags, stream, block);
export const data = (stream: number, bytes: Bytes | string, flags = 0) => frame(Type.DATA, flags, stream, Buffer.from(bytes));
/** RST_STREAM; default: CANCEL. */
export const reset = (stream: number, code = 8) => frame(Type.RST_STREAM, 0, stream, uint32(code));
export const ping = (flags = 0, stream = 0, length = 8) => frame(Type.PING, flags, stream, Buffer.alloc(length, 'p'));
export const windowUpdate = (stream: number, bytes: number) => frame(Type.WINDOW_UPDATE, 0, stream, uint32(bytes));
export const goaway = (last = 0, code = 0) => frame(Type.GOAWAY, 0, 0, [...uint32(last), ...uint32(code)]);
export const priority = (stream: number, on: number, length = 5) => frame(Type.PRIORITY, 0, stream, [...uint32(on), 16].slice(0, length));

export function settings(entries: readonly (readonly [id: number, value: number])[], flags = 0, stream = 0): Buffer {
  return frame(
    Type.SETTINGS,
    flags,
    stream,
    entries.flatMap(([id, value]) => [id >>> 8, id & 255, ...uint32(value)]),
  );
}

export function uint32(value: number): number[] {
  return [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

/** An HPACK integer with a prefix of this many bits (RFC 7541 section 5.1). */
export function integer(value: number, bits: number, pattern = 0): number[] {
  const most = 2 ** bits - 1;
  if (value < most) return [pattern | value];
  const bytes = [pattern | most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(128 | (rest % 128));
  return [...bytes, rest];
}

const text = (value: string) => [...integer(Buffer.byteLength(value), 7), ...Buffer.from(value)];

/** A literal header that is not added to the table. */
export const literal = (name: string, value: string): number[] => [0, ...text(name), ...text(value)];
/** A literal header that is added to the table. */
export const indexedLiteral = (name: string, value: string): number[] => [0x40, ...text(name), ...text(value)];

export const GET_METHOD = 0x82;
export const POST_METHOD = 0x83;
export const HTTPS = 0x87;
export const AUTHORITY = [0x41, 4, ...Buffer.from('test')];

export const get = (path = '/'): number[] => [GET_METHOD, HTTPS, ...literal(':path', path), ...literal(':authority', 'test')];
export const post = (path = '/'): number[] => [POST_METHOD, HTTPS, ...literal(':path', path), ...literal(':authority', 'test')];
