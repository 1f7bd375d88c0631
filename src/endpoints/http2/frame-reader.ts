import { FRAME_HEAD_BYTES, MAX_PAYLOAD_BYTES } from './frames.js';
import { ErrorCode } from './error-code.js';

/** What a client begins with (RFC 9113 section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** A frame that comes byte by byte is put together now and then: each piece costs far more memory than its bytes. */
const MAX_PARTS = 64;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A part of what was read: whoever keeps it longer than the frame keeps all of that. */
  readonly payload: Buffer;
}

/**
 * Makes frames of the bytes of a client, behind its preface. It holds back less than one frame, and copies only what did not come in
 * one piece.
 */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #parts: Buffer[] = [];
  #held = 0;
  #wanted = PREFACE.length;
  #begun = false;
  #stopped = false;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** No more frames, from this moment on. */
  stop(): void {
    this.#stopped = true;
    this.#parts = [];
  }

  /** Answers the error after which nothing can be read any more, or NO_ERROR. */
  read(chunk: Buffer): ErrorCode {
    if (this.#stopped) return ErrorCode.NO_ERROR;
    let bytes = chunk;
    if (this.#held > 0) {
      this.#parts.push(chunk);
      this.#held += chunk.length;
      if (this.#held < this.#wanted && this.#parts.length < MAX_PARTS) return ErrorCode.NO_ERROR;
      bytes = Buffer.concat(this.#parts, this.#held);
      this.#parts = [];
      if (this.#held < this.#wanted) return this.#hold(bytes, this.#wanted);
      this.#held = 0;
    }
    return this.#begun ? this.#frames(bytes, 0) : this.#preface(bytes);
  }

  #preface(bytes: Buffer): ErrorCode {
    const length = Math.min(bytes.length, PREFACE.length);
    if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) return ErrorCode.PROTOCOL_ERROR;
    if (length < PREFACE.length) return this.#hold(bytes, PREFACE.length);
    this.#begun = true;
    return this.#frames(bytes, PREFACE.length);
  }

  #frames(bytes: Buffer, start: number): ErrorCode {
    let at = start;
    while (!this.#stopped) {
      const left = bytes.length - at;
      if (left < FRAME_HEAD_BYTES) return this.#hold(bytes.subarray(at), FRAME_HEAD_BYTES);
      const length = bytes.readUIntBE(at, 3);
      if (length > MAX_PAYLOAD_BYTES) return ErrorCode.FRAME_SIZE_ERROR;
      const end = at + FRAME_HEAD_BYTES + length;
      if (end > bytes.length) return this.#hold(bytes.subarray(at), FRAME_HEAD_BYTES + length);
      const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
      const payload = bytes.subarray(at + FRAME_HEAD_BYTES, end);
      this.#onFrame({ type: bytes[at + 3] as number, flags: bytes[at + 4] as number, stream, payload });
      at = end;
    }
    return ErrorCode.NO_ERROR;
  }

  #hold(rest: Buffer, wanted: number): ErrorCode {
    if (rest.length > 0) this.#parts = [rest];
    this.#held = rest.length;
    this.#wanted = wanted;
    return ErrorCode.NO_ERROR;
  }
}
