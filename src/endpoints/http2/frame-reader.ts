import type { TLSSocket } from 'node:tls';
import type { WorkTurns, Worker } from '../connections/work-turns.js';
import { type ConnectionAccount, Held } from '../ledger/connection-account.js';
import { HeldBytes } from '../ledger/held-bytes.js';
import { ErrorCode, FRAME_HEAD_BYTES, FrameType, MAX_PAYLOAD_BYTES, MAX_STREAM_ID } from './frames.js';

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

export interface PacedReaderOptions {
  readonly socket: TLSSocket;
  readonly account: ConnectionAccount;
  readonly turns: WorkTurns;
  readonly onFrame: (frame: Frame) => void;
  /** Nothing more can be read. */
  readonly onFault: (code: ErrorCode) => void;
}

/**
 * Reads the frames of a connection. Its requests take turns with those of other connections; nothing more is read while one has to wait.
 */
export class PacedReader implements Worker {
  readonly #socket: TLSSocket;
  readonly #account: ConnectionAccount;
  readonly #reader: FrameReader;
  readonly #turns: WorkTurns;
  readonly #onFault: (code: ErrorCode) => void;

  constructor({ socket, account, turns, onFrame, onFault }: PacedReaderOptions) {
    this.#socket = socket;
    this.#account = account;
    this.#turns = turns;
    this.#onFault = onFault;
    this.#reader = new FrameReader(account, onFrame, (type) => type !== FrameType.HEADERS || this.#mayBegin());
    socket.on('data', (chunk: Buffer) => this.#check(this.#reader.read(chunk)));
  }

  get owner(): object {
    return this.#account.owner;
  }

  /** Delivers no more frames; further input is dropped. */
  stop(): void {
    this.#reader.stop();
    this.#socket.resume();
  }

  goOn(): void {
    if (!this.#reader.isWaiting) return;
    this.#check(this.#reader.goOn());
    if (!this.#reader.isWaiting) this.#socket.resume();
  }

  #mayBegin(): boolean {
    if (this.#turns.take(this)) return true;
    this.#socket.pause();
    return false;
  }

  #check(code: ErrorCode): void {
    if (code !== ErrorCode.NO_ERROR) this.#onFault(code);
  }
}

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
