import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';
import { HeldBytes } from '../ledger/held-bytes.js';
import { FRAME_HEAD_BYTES, MAX_PAYLOAD_BYTES } from './frames.js';
import { ErrorCode } from './error-code.js';

/** The client connection preface (RFC 9113 section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A slice of the bytes read; copy it to keep it longer than the frame. */
  readonly payload: Buffer;
}

/**
 * Splits a client's bytes into frames, after its preface. It holds back less than one frame and copies only frames that arrive in pieces.
 */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  readonly #mayTake: (type: number) => boolean;
  /** The beginning of an incomplete preface or frame. */
  readonly #held: HeldBytes;
  /** Number of bytes needed for the next step: first the head of a frame, then the whole frame. */
  #wanted = PREFACE.length;
  #begun = false;
  #stopped = false;
  /** Bytes read so far, starting with the frame that has to wait. */
  #rest: Buffer | undefined;

  /** `mayTake` is called before each frame. After it returns false, `read` must not be called before `goOn`. */
  constructor(account: ConnectionAccount, onFrame: (frame: Frame) => void, mayTake: (type: number) => boolean = () => true) {
    this.#mayTake = mayTake;
    this.#held = new HeldBytes(account, Held.READS, FRAME_HEAD_BYTES + MAX_PAYLOAD_BYTES);
    this.#onFrame = onFrame;
  }

  /** Stops immediately; no more frames are delivered. */
  stop(): void {
    this.#stopped = true;
    this.#rest = undefined;
    this.#held.release();
  }

  /** Whether a frame has to wait. */
  get isWaiting(): boolean {
    return this.#rest !== undefined;
  }

  /** Calls `mayTake` again for the waiting frame and continues after it. Returns what `read` returns. */
  goOn(): ErrorCode {
    const rest = this.#rest;
    this.#rest = undefined;
    return rest ? this.read(rest) : ErrorCode.NO_ERROR;
  }

  /** Returns the error after which nothing more can be read, or NO_ERROR. */
  read(chunk: Buffer): ErrorCode {
    let at = 0;
    while (this.#held.length > 0 && !this.#stopped) {
      const end = Math.min(at + this.#wanted - this.#held.length, chunk.length);
      if (!this.#held.append(chunk.subarray(at, end))) return ErrorCode.ENHANCE_YOUR_CALM;
      at = end;
      const code = this.#completeHeld(chunk.subarray(at));
      if (code !== ErrorCode.NO_ERROR || this.isWaiting) return code;
      if (at === chunk.length) return ErrorCode.NO_ERROR;
    }
    return this.#begun || this.#stopped ? this.#frames(chunk, at) : this.#preface(chunk);
  }

  /** Processes the held bytes once they are a complete preface or frame. `rest` is what follows them. */
  #completeHeld(rest: Buffer): ErrorCode {
    const { bytes } = this.#held;
    if (!this.#begun) {
      if (!isPreface(bytes)) return ErrorCode.PROTOCOL_ERROR;
      if (bytes.length < PREFACE.length) return ErrorCode.NO_ERROR;
      this.#begun = true;
      this.#held.release();
      return ErrorCode.NO_ERROR;
    }
    if (bytes.length < this.#wanted) return ErrorCode.NO_ERROR;
    const length = bytes.readUIntBE(0, 3);
    if (length > MAX_PAYLOAD_BYTES) return ErrorCode.FRAME_SIZE_ERROR;
    this.#wanted = FRAME_HEAD_BYTES + length;
    if (bytes.length < this.#wanted) return ErrorCode.NO_ERROR;
    if (!this.#mayTake(bytes[3] as number)) {
      this.#rest = rest;
      return ErrorCode.NO_ERROR;
    }
    this.#held.release();
    this.#emit(bytes, 0, this.#wanted);
    return ErrorCode.NO_ERROR;
  }

  #preface(bytes: Buffer): ErrorCode {
    const length = Math.min(bytes.length, PREFACE.length);
    if (!isPreface(bytes.subarray(0, length))) return ErrorCode.PROTOCOL_ERROR;
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
      if (!this.#mayTake(bytes[at + 3] as number)) {
        this.#rest = bytes.subarray(at);
        return ErrorCode.NO_ERROR;
      }
      this.#emit(bytes, at, end);
      at = end;
    }
    return ErrorCode.NO_ERROR;
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    const stream = bytes.readUInt32BE(start + 5) & 0x7fffffff;
    const payload = bytes.subarray(start + FRAME_HEAD_BYTES, end);
    this.#onFrame({ type: bytes[start + 3] as number, flags: bytes[start + 4] as number, stream, payload });
  }

  #hold(rest: Buffer, wanted: number): ErrorCode {
    this.#wanted = wanted;
    return rest.length === 0 || this.#held.append(rest) ? ErrorCode.NO_ERROR : ErrorCode.ENHANCE_YOUR_CALM;
  }
}

function isPreface(beginning: Buffer): boolean {
  return PREFACE.compare(beginning, 0, beginning.length, 0, beginning.length) === 0;
}
