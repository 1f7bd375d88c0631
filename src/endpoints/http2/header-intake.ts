import { type ConnectionAccount, Held } from '../ledger/connection-account.js';
import { HeldBytes } from '../ledger/held-bytes.js';
import { type HeaderListLimits, HeaderDecoder, HpackError } from './hpack/header-decoder.js';
import type { HeaderField } from './hpack/header-field.js';

/** Decodes the header blocks of a connection and charges the header table to its account. */
export class HeaderIntake {
  readonly #account: ConnectionAccount;
  readonly #decoder: HeaderDecoder;
  #charged = 0;

  constructor(account: ConnectionAccount, limits: HeaderListLimits) {
    this.#account = account;
    this.#decoder = new HeaderDecoder(limits);
  }

  /** Size of the last decoded list, each header counted with 32 extra bytes. */
  get listBytes(): number {
    return this.#decoder.listBytes;
  }

  /**
   * Returns undefined for a list beyond the limits, after which the connection can continue. It cannot continue after a malformed block, or
   * if the client makes the server hold too much.
   */
  decode(block: Buffer): HeaderField[] | 'malformed' | 'refused' | undefined {
    try {
      const fields = this.#decoder.decode(block);
      return this.#chargeTable() ? fields : 'refused';
    } catch (error) {
      if (error instanceof HpackError) return 'malformed';
      throw error;
    }
  }

  #chargeTable(): boolean {
    const change = this.#decoder.tableBytes - this.#charged;
    this.#charged += change;
    if (change > 0) return this.#account.charge(Held.HEADERS, change);
    if (change < 0) this.#account.release(Held.HEADERS, -change);
    return true;
  }
}

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
