import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';
import { HeldBytes } from '../ledger/held-bytes.js';

/** CONTINUATION frames of one block; nghttp2 takes eight. */
const MAX_CONTINUATIONS = 64;

/** The headers of a request, or its trailers, that come in several frames; nothing else comes in between. */
export class HeaderBlock {
  readonly #held: HeldBytes;
  readonly #maxBytes: number;
  #parts = 0;

  constructor(
    readonly stream: number,
    /** Whether nothing of the request follows them. */
    readonly endsStream: boolean,
    account: ConnectionAccount,
    maxBytes: number,
  ) {
    this.#held = new HeldBytes(account, Held.HEADERS, maxBytes);
    this.#maxBytes = maxBytes;
  }

  /** False when there is too much of it, or of what the connection makes the server hold. */
  add(part: Buffer): boolean {
    this.#parts += 1;
    return this.#held.length + part.length <= this.#maxBytes && this.#parts <= 1 + MAX_CONTINUATIONS && this.#held.append(part);
  }

  /** The whole block, which is not held any more. */
  take(): Buffer {
    const bytes = this.#held.take();
    this.#held.release();
    return bytes;
  }
}
