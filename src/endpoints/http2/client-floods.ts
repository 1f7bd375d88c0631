import { FrameType } from './frames.js';
import { TokenBucket } from './token-bucket.js';

/** Streams that one client may reset, or have reset, as nghttp2 has it. */
const RESETS = 1000;
const RESETS_PER_SECOND = 33;
/** Frames that carry nothing: pings, settings, priorities, windows, unknown ones, and DATA of a few bytes. */
const EMPTY_FRAMES = 10_000;
const EMPTY_FRAMES_PER_SECOND = 1000;
/** Whoever takes answers has more to say: each part may be read in steps of 4 KiB, with updates of two windows each. */
const BYTES_PER_EMPTY_FRAME = 1024;

/** What a client may send that costs it little, and this server more. */
export class ClientFloods {
  readonly #resets = new TokenBucket(RESETS, RESETS_PER_SECOND);
  readonly #emptyFrames = new TokenBucket(EMPTY_FRAMES, EMPTY_FRAMES_PER_SECOND);

  /** False when there are too many of them. */
  allow(frameType: number): boolean {
    return frameType === FrameType.RST_STREAM ? this.#resets.take() : this.#emptyFrames.take();
  }

  /** So much of an answer has gone to the client. */
  earn(bytes: number): void {
    this.#emptyFrames.add(bytes / BYTES_PER_EMPTY_FRAME);
  }
}
