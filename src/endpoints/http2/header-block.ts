/** CONTINUATION frames of one block; nghttp2 takes eight. */
const MAX_CONTINUATIONS = 64;

/** The headers of a request, or its trailers, which may come in several frames; nothing else comes in between. */
export class HeaderBlock {
  readonly #parts: Buffer[];
  readonly #maxBytes: number;
  #bytes: number;

  constructor(
    readonly stream: number,
    /** Whether nothing of the request follows them. */
    readonly endsStream: boolean,
    first: Buffer,
    maxBytes: number,
  ) {
    this.#parts = [first];
    this.#bytes = first.length;
    this.#maxBytes = maxBytes;
  }

  /** False when there is too much of it. */
  add(part: Buffer): boolean {
    this.#parts.push(part);
    this.#bytes += part.length;
    return this.#bytes <= this.#maxBytes && this.#parts.length <= 1 + MAX_CONTINUATIONS;
  }

  get bytes(): Buffer {
    const [first] = this.#parts;
    return this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts, this.#bytes);
  }
}
