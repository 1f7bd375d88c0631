import type { OutgoingHttpHeaders } from 'node:http';
import { STATIC_TABLE } from './header-field.js';

/** Headers with few distinct values that repeat in every response: only these are put into the client's table. */
const REPEATED = new Set(['cache-control', 'content-type', 'x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid']);
/** Small enough that no entry evicts another: the table holds 4096 bytes, and an entry counts 32 more than its text. */
const MAX_REPEATED = 20;
const MAX_REPEATED_LENGTH = 128;
const DEFAULT_TABLE_BYTES = 4096;
const FIRST_DYNAMIC_INDEX = STATIC_TABLE.length + 1;

/** Headers of HTTP/1.1 that are never sent over HTTP/2. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);
const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;

const STATUS_INDEXES = new Map(STATIC_TABLE.flatMap(([name, value], at) => (name === ':status' ? [[Number(value), at + 1]] : [])));
const STATUS_NAME_INDEX = STATIC_TABLE.findIndex(([name]) => name === ':status') + 1;
const NAME_INDEXES = new Map(STATIC_TABLE.map(([name], at): [string, number] => [name, at + 1]).reverse());

let scratch = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * Encodes response headers for one connection (RFC 7541), without Huffman codes: they would cost more time than the saved bytes are worth.
 */
export class HeaderEncoder {
  /** Values by name, each with the number of its insertion. */
  readonly #repeated = new Map<string, Map<string, number>>();
  #inserted = 0;
  #usesTable = true;
  #tellsTableSize = false;
  #length = 0;

  /** Applies the client's limit of the table size. If it is below the default, the table is no longer used. */
  limitTable(bytes: number): void {
    if (bytes >= DEFAULT_TABLE_BYTES || !this.#usesTable) return;
    this.#usesTable = false;
    this.#tellsTableSize = true;
  }

  /** Returns the block, which is valid until the next call. Blocks must be sent in the order in which they were encoded. */
  encode(status: number, headers: OutgoingHttpHeaders, date?: string): Buffer {
    this.#length = 0;
    if (this.#tellsTableSize) this.#integer(0x20, 5, 0);
    this.#tellsTableSize = false;
    this.#status(status);
    if (date !== undefined) this.#header('date', date);
    for (const name in headers) {
      const value = headers[name];
      if (value === undefined) continue;
      if (Array.isArray(value)) for (const each of value) this.#header(name, each);
      else this.#header(name, String(value));
    }
    return scratch.subarray(0, this.#length);
  }

  #status(status: number): void {
    const index = STATUS_INDEXES.get(status);
    if (index !== undefined) return this.#integer(0x80, 7, index);
    this.#integer(0, 4, STATUS_NAME_INDEX);
    this.#text(String(status));
  }

  #header(name: string, value: string): void {
    if (REPEATED.has(name) && value.length <= MAX_REPEATED_LENGTH && this.#usesTable) this.#repeatedHeader(name, value);
    else if (!CONNECTION_HEADERS.has(name)) this.#literal(0, 4, name, value);
  }

  #repeatedHeader(name: string, value: string): void {
    let values = this.#repeated.get(name);
    if (!values) this.#repeated.set(name, (values = new Map<string, number>()));
    const inserted = values.get(value);
    if (inserted !== undefined) return this.#integer(0x80, 7, FIRST_DYNAMIC_INDEX + this.#inserted - inserted);
    if (this.#inserted >= MAX_REPEATED) return this.#literal(0, 4, name, value);
    this.#inserted += 1;
    values.set(value, this.#inserted);
    this.#literal(0x40, 6, name, value);
  }

  #literal(pattern: number, bits: number, name: string, value: string): void {
    const index = NAME_INDEXES.get(name) ?? 0;
    this.#integer(pattern, bits, index);
    if (index === 0) this.#text(name);
    this.#text(value);
  }

  #integer(pattern: number, bits: number, value: number): void {
    this.#reserve(6);
    const most = (1 << bits) - 1;
    if (value < most) {
      scratch[this.#length++] = pattern | value;
      return;
    }
    scratch[this.#length++] = pattern | most;
    let rest = value - most;
    for (; rest >= 0x80; rest >>>= 7) scratch[this.#length++] = 0x80 | (rest & 0x7f);
    scratch[this.#length++] = rest;
  }

  /** Writes one byte per character, as node:http writes headers, and a space for each control character. */
  #text(text: string): void {
    this.#integer(0, 7, text.length);
    this.#reserve(text.length);
    const start = this.#length;
    this.#length += scratch.write(text, start, 'latin1');
    for (let at = start; at < this.#length; at++) {
      const byte = scratch[at] ?? SPACE;
      if ((byte < SPACE && byte !== TAB) || byte === DELETE) scratch[at] = SPACE;
    }
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= scratch.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes));
    scratch.copy(larger, 0, 0, this.#length);
    scratch = larger;
  }
}
