import { integer } from '../../support/http2-frames.js';

/** A header field: name and value. */
export type Field = readonly [name: string, value: string];

const STATIC_ENTRIES = 61;
const ENTRY_OVERHEAD = 32;
const TABLE_BYTES = 4096;

/** Fields of HPACK's static table that requests use often. */
const STATIC = new Map([
  [':method GET', 2],
  [':method POST', 3],
  [':path /', 4],
  [':scheme https', 7],
  ['accept-encoding gzip, deflate', 16],
]);

/**
 * An HPACK encoder for attacks: a field that was sent before costs one or two bytes. Values are never Huffman-coded. The table has the
 * default size of 4 KiB and evicts like the decoder's.
 */
export class HpackEncoder {
  readonly #table: Field[] = [];
  #bytes = 0;

  /** Encodes a header block; fields that fit are added to the table. */
  encode(fields: readonly Field[]): Buffer {
    return Buffer.concat(fields.map((field) => this.field(field)));
  }

  /** Encodes one field: as an index if it is in the table, else as a literal that is added to it. */
  field([name, value]: Field): Buffer {
    const index = this.#indexOf(name, value);
    if (index !== undefined) return Buffer.from(integer(index, 7, 0x80));
    const isRemembered = this.#remember(name, value);
    return Buffer.concat([Buffer.from([isRemembered ? 0x40 : 0]), text(name), text(value)]);
  }

  #indexOf(name: string, value: string): number | undefined {
    const known = STATIC.get(`${name} ${value}`);
    if (known !== undefined) return known;
    const place = this.#table.findIndex((entry) => entry[0] === name && entry[1] === value);
    return place < 0 ? undefined : STATIC_ENTRIES + 1 + place;
  }

  /** Returns false for a field larger than the table, which would only empty it. */
  #remember(name: string, value: string): boolean {
    const bytes = sizeOf([name, value]);
    if (bytes > TABLE_BYTES) return false;
    while (this.#bytes + bytes > TABLE_BYTES) this.#bytes -= sizeOf(this.#table.pop() ?? ['', '']);
    this.#table.unshift([name, value]);
    this.#bytes += bytes;
    return true;
  }
}

function sizeOf([name, value]: Field): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.from([...integer(bytes.length, 7), ...bytes]);
}
