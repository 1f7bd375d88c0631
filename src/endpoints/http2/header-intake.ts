import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';
import type { HeaderField } from './header-field.js';
import type { HeaderListLimits } from './hpack/header-decoder.js';
import { HeaderDecoder } from './hpack/header-decoder.js';
import { HpackError } from './hpack/hpack-error.js';

/** Decodes the header blocks of a connection, whose table is charged to its account. */
export class HeaderIntake {
  readonly #account: ConnectionAccount;
  readonly #decoder: HeaderDecoder;
  #charged = 0;

  constructor(account: ConnectionAccount, limits: HeaderListLimits) {
    this.#account = account;
    this.#decoder = new HeaderDecoder(limits);
  }

  /** What the list that was decoded last takes, each header counted with 32 bytes more. */
  get listBytes(): number {
    return this.#decoder.listBytes;
  }

  /**
   * Undefined for a list beyond the limits, after which the connection can go on. It cannot after a block that is malformed, nor when the
   * client makes the server hold too much.
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
