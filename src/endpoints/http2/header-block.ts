import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';
import { HeldBytes } from '../ledger/held-bytes.js';

/** Maximum number of CONTINUATION frames in one block; nghttp2 accepts eight. */
const MAX_CONTINUATIONS = 64;

/** Headers or trailers of a request that arrive in several frames; no other frame may come between them. */
export class HeaderBlock {
  readonly #held: HeldBytes;
  readonly #maxBytes: number;
  #parts = 0;

  constructor(
    readonly stream: number,
    /** Whether the request ends with this block. */
    readonly endsStream: boolean,
    account: ConnectionAccount,
    maxBytes: number,
  ) {
    this.#held = new HeldBytes(account, Held.HEADERS, maxBytes);
    this.#maxBytes = maxBytes;
  }

  /** Returns false if the block is too large, or if the client makes the server hold too much. */
  add(part: Buffer): boolean {
    this.#parts += 1;
    return this.#held.length + part.length <= this.#maxBytes && this.#parts <= 1 + MAX_CONTINUATIONS && this.#held.append(part);
  }

  /** Returns the whole block and releases it. */
  take(): Buffer {
    const bytes = this.#held.take();
    this.#held.release();
    return bytes;
  }
}
