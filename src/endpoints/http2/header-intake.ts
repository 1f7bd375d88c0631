import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';
import type { HeaderField } from './hpack/header-field.js';
import { type HeaderListLimits, HeaderDecoder } from './hpack/header-decoder.js';
import { HpackError } from './hpack/decode-huffman.js';

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
