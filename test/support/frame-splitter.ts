import { HEAD_BYTES } from './http2-frames.js';

export interface ReceivedFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Splits a server's bytes into frames, in whatever pieces they arrive. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);

  split(chunk: Buffer): ReceivedFrame[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: ReceivedFrame[] = [];
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
      frames.push({ type: bytes.readUInt8(at + 3), flags: bytes.readUInt8(at + 4), stream, payload: bytes.subarray(at + HEAD_BYTES, end) });
      at = end;
    }
    this.#rest = bytes.subarray(at);
    return frames;
  }
}
