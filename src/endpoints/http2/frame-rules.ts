import { ErrorCode } from './error-code.js';
import type { Frame } from './frame-reader.js';
import { FrameType, MAX_STREAM_ID } from './frames.js';

/** Whether frames of a type belong to a stream, to the connection or to either, and their allowed length. */
interface Rule {
  readonly on: 'stream' | 'connection' | 'either';
  readonly fits?: (length: number) => boolean;
}

const RULES = new Map<number, Rule>([
  [FrameType.DATA, { on: 'stream' }],
  [FrameType.HEADERS, { on: 'stream' }],
  [FrameType.PRIORITY, { on: 'stream', fits: (length) => length === 5 }],
  [FrameType.RST_STREAM, { on: 'stream', fits: (length) => length === 4 }],
  [FrameType.SETTINGS, { on: 'connection', fits: (length) => length % 6 === 0 }],
  [FrameType.PING, { on: 'connection', fits: (length) => length === 8 }],
  [FrameType.GOAWAY, { on: 'connection', fits: (length) => length >= 8 }],
  [FrameType.WINDOW_UPDATE, { on: 'either', fits: (length) => length === 4 }],
  [FrameType.CONTINUATION, { on: 'stream' }],
]);

/** Applies the rules of RFC 9113 section 6 to a single frame: returns the connection error, or NO_ERROR. */
export function checkFrame({ type, stream, payload }: Frame): ErrorCode {
  // Clients must not push.
  if (type === FrameType.PUSH_PROMISE) return ErrorCode.PROTOCOL_ERROR;
  const rule = RULES.get(type);
  if (!rule) return ErrorCode.NO_ERROR;
  if (rule.on !== 'either' && (rule.on === 'stream') !== (stream !== 0)) return ErrorCode.PROTOCOL_ERROR;
  return rule.fits && !rule.fits(payload.length) ? ErrorCode.FRAME_SIZE_ERROR : ErrorCode.NO_ERROR;
}

/** The only invalid priority; priorities are otherwise ignored (RFC 7540 section 5.3.1). */
export function dependsOnItself(stream: number, priority: Buffer): boolean {
  return (priority.readUInt32BE(0) & MAX_STREAM_ID) === stream;
}
