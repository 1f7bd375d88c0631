/** Frame types (RFC 9113 section 6). */
export const FrameType = {
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
} as const;

export const Flag = { END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const;

export const Setting = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

export const FRAME_HEAD_BYTES = 9;
/** Longest payload that this server accepts and sends: the default of both sides. */
export const MAX_PAYLOAD_BYTES = 16 * 1024;
export const DEFAULT_WINDOW = 65_535;
export const MAX_WINDOW = 2 ** 31 - 1;
export const MAX_STREAM_ID = 2 ** 31 - 1;

/** Writes the head of a frame; returns the offset of its payload. */
export function writeFrameHead(into: Buffer, at: number, [length, type, flags, stream]: readonly [number, number, number, number]): number {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = type;
  into[at + 4] = flags;
  return into.writeUInt32BE(stream, at + 5);
}

export function settingsFrame(settings: readonly (readonly [setting: number, value: number])[]): Buffer {
  const frame = emptyFrame(FrameType.SETTINGS, 0, 0, 6 * settings.length);
  settings.forEach(([setting, value], index) => frame.writeUInt32BE(value, frame.writeUInt16BE(setting, FRAME_HEAD_BYTES + 6 * index)));
  return frame;
}

export const SETTINGS_ACK = emptyFrame(FrameType.SETTINGS, Flag.ACK, 0, 0);

/** A PING whose payload is all zeros: only one is outstanding at a time. */
export const PING = emptyFrame(FrameType.PING, 0, 0, 8).fill(0, FRAME_HEAD_BYTES);

export function pingAck(payload: Buffer): Buffer {
  const frame = emptyFrame(FrameType.PING, Flag.ACK, 0, payload.length);
  payload.copy(frame, FRAME_HEAD_BYTES);
  return frame;
}

export function goawayFrame(lastStream: number, code: ErrorCode): Buffer {
  const frame = emptyFrame(FrameType.GOAWAY, 0, 0, 8);
  frame.writeUInt32BE(code, frame.writeUInt32BE(lastStream, FRAME_HEAD_BYTES));
  return frame;
}

export function resetFrame(stream: number, code: ErrorCode): Buffer {
  const frame = emptyFrame(FrameType.RST_STREAM, 0, stream, 4);
  frame.writeUInt32BE(code, FRAME_HEAD_BYTES);
  return frame;
}

/** `stream` 0 means the window of the connection. */
export function windowUpdateFrame(stream: number, bytes: number): Buffer {
  const frame = emptyFrame(FrameType.WINDOW_UPDATE, 0, stream, 4);
  frame.writeUInt32BE(bytes, FRAME_HEAD_BYTES);
  return frame;
}

/** A header block as one HEADERS frame, followed by CONTINUATION frames for what does not fit. */
export function headerFrames(stream: number, block: Buffer, endStream: boolean): Buffer {
  const count = Math.max(1, Math.ceil(block.length / MAX_PAYLOAD_BYTES));
  const frames = Buffer.allocUnsafe(block.length + count * FRAME_HEAD_BYTES);
  let at = 0;
  for (let index = 0; index < count; index++) {
    const start = index * MAX_PAYLOAD_BYTES;
    const end = Math.min(start + MAX_PAYLOAD_BYTES, block.length);
    const type = index === 0 ? FrameType.HEADERS : FrameType.CONTINUATION;
    const flags = (index === 0 && endStream ? Flag.END_STREAM : 0) | (index === count - 1 ? Flag.END_HEADERS : 0);
    at = writeFrameHead(frames, at, [end - start, type, flags, stream]);
    at += block.copy(frames, at, start, end);
  }
  return frames;
}

export function dataFrameHead(stream: number, length: number, endStream: boolean): Buffer {
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  writeFrameHead(head, 0, [length, FrameType.DATA, endStream ? Flag.END_STREAM : 0, stream]);
  return head;
}

function emptyFrame(type: number, flags: number, stream: number, length: number): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + length);
  writeFrameHead(frame, 0, [length, type, flags, stream]);
  return frame;
}

/** Removes the padding announced by the flags; returns undefined if it is longer than the payload. */
export function withoutPadding(flags: number, payload: Buffer): Buffer | undefined {
  if (!(flags & Flag.PADDED)) return payload;
  const end = payload.length - (payload[0] ?? 0);
  return end >= 1 ? payload.subarray(1, end) : undefined;
}

/** Why a stream or a connection ends early (RFC 9113 section 7). */
export const ErrorCode = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const;

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];
