import { TokenBucket } from '../../time/token-bucket.js';

/** Streams that one client may reset or cause to be reset; nghttp2 has the same limit. */
const RESETS = { qps: 33, burst: 1000 };
/** Frames that make no progress. */
const FRAMES = { qps: 1000, burst: 10_000 };
/** A client that takes its response in steps of 32 bytes sends two window updates for each: one for the stream, one for the connection. */
const BYTES_PER_FRAME = 16;

/**
 * Budget for the work that a client's frames cause, so that no client keeps the server busy for nothing.
 *
 * Every frame costs about the same, whatever its type, and so do every few responses that it moves without sending anything of them.
 * Progress earns frames: bytes of responses that the client takes, and bytes of bodies that it sends. A client with windows of 32 bytes or
 * more is therefore served indefinitely: it makes the server send one frame for two of its own, which is less work per byte than any
 * request. A client with one-byte windows, which could have 20 frames processed for each byte of a response, is limited to the 1,000 frames
 * a second of clients that make no progress.
 *
 * HEADERS frames are not counted: the limits of streams and requests bound what a request costs, and the limit of resets bounds what a
 * refused one costs.
 */
export class ClientFloods {
  readonly #resets = new TokenBucket(RESETS);
  readonly #frames = new TokenBucket(FRAMES);

  /** Counts a stream that is reset. Returns false if there were too many. */
  allowReset(): boolean {
    return this.#resets.take(1);
  }

  /** Counts work equivalent to `frames` frames. Returns false if the budget is exceeded. */
  spend(frames: number): boolean {
    return this.#frames.take(frames);
  }

  /** Credits bytes of a response or a body that have been transferred. */
  earn(bytes: number): void {
    this.#frames.add(bytes / BYTES_PER_FRAME);
  }
}

/** Number of remembered streams: as many as may have frames on their way. */
const REMEMBERED = 256;

/** Streams recently reset by this side: frames that the client sent before it learned of the reset are ignored. */
export class ResetStreams {
  readonly #streams = new Set<number>();

  add(stream: number): void {
    this.#streams.add(stream);
    if (this.#streams.size <= REMEMBERED) return;
    const [oldest] = this.#streams;
    if (oldest !== undefined) this.#streams.delete(oldest);
  }

  has(stream: number): boolean {
    return this.#streams.has(stream);
  }
}
