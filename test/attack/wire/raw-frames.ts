/** RFC 9113 section 6: what an attacker writes, without any rule that a library would hold to. */
export const Type = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;

export const MAX_CONCURRENT_STREAMS = 3;
export const INITIAL_WINDOW_SIZE = 4;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const HEAD_BYTES = 9;

export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

export function settings(pairs: readonly (readonly [setting: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  pairs.forEach(([setting, value], index) => payload.writeUInt32BE(value, payload.writeUInt16BE(setting, 6 * index)));
  return frame(Type.SETTINGS, 0, 0, payload);
}

export function windowUpdate(stream: number, bytes: number): Buffer {
  return frame(Type.WINDOW_UPDATE, 0, stream, uint32(bytes));
}

/** With CANCEL, as a client does that has lost interest. */
export function resetStream(stream: number, code = 8): Buffer {
  return frame(Type.RST_STREAM, 0, stream, uint32(code));
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
