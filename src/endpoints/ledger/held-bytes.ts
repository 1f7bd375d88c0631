import { MAX_VALUES, countValues } from '../../apimachinery/codec/limits/body-limits.js';
import type { ConnectionAccount, Held } from './connection-account.js';

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

/**
 * Memory of a value of a write, and of a byte of its text: in the object that was sent, in the one that is stored, with the fields of its
 * manager, and in their JSON.
 */
const VALUE_BYTES = 480;
const TEXT_BYTES = 3;
/** Memory of a part of a selector, besides its text: a word, and what an operator or bracket makes of it. */
const WORD_BYTES = 110;
const OPERATOR_BYTES = 450;
const SELECTOR_BYTES = 512;
const WORD_ENDS = /[,|]/g;
const OPERATORS = /[=!<>(]+/g;

/** Memory of an open watch, with its timers and its stream, beyond the charge for any request. */
export const WATCH_BYTES = 4 * 1024;

/** Memory that a write takes, by the object in its body and the length of the body. */
export function objectBytes(bodyLength: number, object: unknown): number {
  return bodyLength * TEXT_BYTES + valuesIn(object) * VALUE_BYTES;
}

/**
 * Memory that a patch takes until its response: its text, and what it makes of an object, which has no more values than any body may have.
 * Decoded operations of a JSON patch are gone after one turn of the event loop.
 */
export function patchBytes(body: Uint8Array): number {
  return body.length * TEXT_BYTES + countValues(body, MAX_VALUES) * VALUE_BYTES;
}

/** Memory that selectors of any kind take, as text and parsed. They have been parsed, so their parts are few; '' is no selector. */
export function selectorBytes(...selectors: readonly string[]): number {
  let bytes = 0;
  for (const text of selectors) {
    if (text === '') continue;
    const words = text.match(WORD_ENDS)?.length ?? 0;
    const operators = text.match(OPERATORS)?.length ?? 0;
    bytes += SELECTOR_BYTES + 2 * text.length + words * WORD_BYTES + operators * OPERATOR_BYTES;
  }
  return bytes;
}

/** Decoded bodies are shallow enough for this. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 1;
  for (const member of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) values += valuesIn(member);
  return values;
}
