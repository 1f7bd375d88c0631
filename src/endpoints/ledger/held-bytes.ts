import type { ConnectionAccount } from './connection-account.js';
import type { Held } from './held.js';

const EMPTY: Buffer = Buffer.alloc(0);
/** Minimum allocation for joining pieces. */
const MIN_BYTES = 64;

/**
 * Bytes from a client, joined from pieces and charged to its connection with the memory they occupy. Pieces are copied into memory of their
 * own: a slice would keep the whole read alive that it belongs to, and a small Node buffer its pool.
 */
export class HeldBytes {
  readonly #account: ConnectionAccount;
  readonly #kind: Held;
  /** Upper bound of the total length, if known. */
  readonly #most: number;
  #buffer = EMPTY;
  #charged = 0;
  length = 0;

  constructor(account: ConnectionAccount, kind: Held, most = Infinity) {
    this.#account = account;
    this.#kind = kind;
    this.#most = most;
  }

  /** Returns false if the client makes the server hold too much; the piece is then not kept. */
  append(piece: Buffer): boolean {
    const length = this.length + piece.length;
    if (length > this.#buffer.length && !this.#grow(length)) return false;
    piece.copy(this.#buffer, this.length);
    this.length = length;
    return true;
  }

  get bytes(): Buffer {
    return this.length === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.length);
  }

  /** Returns the bytes; they remain charged until `release`. */
  take(): Buffer {
    const { bytes } = this;
    this.#buffer = EMPTY;
    this.length = 0;
    return bytes;
  }

  release(): void {
    if (this.#charged > 0) this.#account.release(this.#kind, this.#charged);
    this.#charged = 0;
    this.#buffer = EMPTY;
    this.length = 0;
  }

  #grow(needed: number): boolean {
    const doubled = Math.min(Math.max(2 * this.#buffer.length, MIN_BYTES), this.#most);
    const capacity = Math.max(needed, doubled);
    if (!this.#account.charge(this.#kind, capacity - this.#buffer.length)) return false;
    this.#charged += capacity - this.#buffer.length;
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(grown, 0, 0, this.length);
    this.#buffer = grown;
    return true;
  }
}
