import { TokenBucket } from './token-bucket.js';

/** Streams that one client may reset, or have reset, as nghttp2 has it. */
const RESETS = 1000;
const RESETS_PER_SECOND = 33;
/** Frames that bring nothing forward. */
const FRAMES = 10_000;
const FRAMES_PER_SECOND = 1000;
/** A client that takes its answer in steps of 32 bytes needs two updates of windows, of stream and connection, for each. */
const BYTES_PER_FRAME = 16;

/**
 * What frames of a client cost, so that no client has the server work for nothing.
 *
 * Every frame costs about the same, whatever its type, and so does every few answers that it moves without sending anything of them.
 * What brings a request forward earns frames: bytes of answers that the client takes, and bytes of bodies that it sends. So a client
 * with windows of 32 bytes or more is served for as long as it likes: it makes the server send one frame for two of its own, which is
 * less work for each of its bytes than any request. A client with windows of a byte, which could have 20 frames processed for each
 * byte of an answer, has the 1,000 frames a second of those who bring nothing forward.
 *
 * HEADERS are not counted: what a request costs is bounded by the limits of streams and requests, and what a refused one costs by the
 * resets.
 */
export class ClientFloods {
  readonly #resets = new TokenBucket(RESETS, RESETS_PER_SECOND);
  readonly #frames = new TokenBucket(FRAMES, FRAMES_PER_SECOND);

  /** Counts a stream that is reset. False when there are too many. */
  allowReset(): boolean {
    return this.#resets.take(1);
  }

  /** Counts work that is worth so many frames. False when that is too much. */
  spend(frames: number): boolean {
    return this.#frames.take(frames);
  }

  /** So much of an answer or a body has been passed on. */
  earn(bytes: number): void {
    this.#frames.add(bytes / BYTES_PER_FRAME);
  }
}
