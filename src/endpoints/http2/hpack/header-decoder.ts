import { HeaderField, OVERHEAD_BYTES } from './header-field.js';
import { HpackError, decodeHuffman } from './decode-huffman.js';
import { STATIC_TABLE } from './static-table.js';

/** The default of SETTINGS_HEADER_TABLE_SIZE, which this server does not change. */
const TABLE_BYTES = 4096;
/** Integers of more than four bytes exceed every meaningful value. */
const MAX_SHIFT = 21;

/**
 * Limit of the decoded size of headers beyond twice the size of their block. A client that refers to each table entry once gains 6 KiB, and
 * Huffman codes expand by a factor of 1.6; a client that repeats an entry by its one-byte index could gain 4 KiB for each byte.
 */
const MAX_EXPANSION_BYTES = 16 * 1024;

const STATIC_FIELDS = STATIC_TABLE.map(([name, value]) => new HeaderField(name, value));

export interface HeaderListLimits {
  /** Limit of the decoded size of all headers together, each counted with 32 extra bytes. */
  readonly bytes: number;
  readonly fields: number;
}

/**
 * Decodes the header blocks of one connection (RFC 7541). The table's size and the limits of each list bound its memory. Throws HpackError,
 * after which the decoder cannot be used.
 */
export class HeaderDecoder {
  readonly #limits: HeaderListLimits;
  /** Ordered from the oldest entry. */
  readonly #table: HeaderField[] = [];
  /** Size of the table, each entry counted with 32 extra bytes. */
  tableBytes = 0;
  /** Size of the last decoded list, counted in the same way. */
  listBytes = 0;
  #maxTableBytes = TABLE_BYTES;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(limits: HeaderListLimits) {
    this.#limits = limits;
  }

  /** Returns undefined for a list beyond the limits; the table still matches the client's. */
  decode(block: Buffer): HeaderField[] | undefined {
    this.#block = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    const most = Math.min(this.#limits.bytes, 2 * block.length + MAX_EXPANSION_BYTES);
    let bytes = 0;
    let texts = 0;
    let resizable = true;
    while (this.#at < block.length) {
      const first = this.#byte();
      if ((first & 0xe0) === 0x20) {
        if (!resizable) throw new HpackError('a table size update follows a header');
        this.#resize(this.#integer(first, 5));
        continue;
      }
      resizable = false;
      const field = this.#field(first);
      bytes += field.size;
      texts += field.size - OVERHEAD_BYTES;
      if (bytes <= this.#limits.bytes && texts <= most && fields.length <= this.#limits.fields) fields.push(field);
    }
    this.listBytes = bytes;
    return bytes > this.#limits.bytes || texts > most || fields.length > this.#limits.fields ? undefined : fields;
  }

  #field(first: number): HeaderField {
    if (first & 0x80) return this.#entry(this.#integer(first, 7));
    const indexed = (first & 0x40) !== 0;
    const at = this.#integer(first, indexed ? 6 : 4);
    const known = at > 0 ? this.#entry(at) : undefined;
    const field = known ? new HeaderField(known.name, this.#text(), known.kindOfName) : new HeaderField(this.#text(), this.#text());
    if (indexed) this.#insert(field);
    return field;
  }

  #entry(index: number): HeaderField {
    const field = index <= STATIC_FIELDS.length ? STATIC_FIELDS[index - 1] : this.#table[this.#table.length + STATIC_FIELDS.length - index];
    if (!field) throw new HpackError(`no header has the index ${index}`);
    return field;
  }

  #insert(field: HeaderField): void {
    this.#table.push(field);
    this.tableBytes += field.size;
    this.#evict();
  }

  #resize(bytes: number): void {
    if (bytes > TABLE_BYTES) throw new HpackError('the table size exceeds its limit');
    this.#maxTableBytes = bytes;
    this.#evict();
  }

  #evict(): void {
    while (this.tableBytes > this.#maxTableBytes) this.tableBytes -= this.#table.shift()?.size ?? 0;
  }

  #text(): string {
    const first = this.#byte();
    const length = this.#integer(first, 7);
    const start = this.#at;
    const end = start + length;
    if (end > this.#block.length) throw new HpackError('a string is longer than its block');
    this.#at = end;
    return first & 0x80 ? decodeHuffman(this.#block, start, end) : this.#block.toString('latin1', start, end);
  }

  /** Reads the integer that begins in the last bits of `first` (RFC 7541 section 5.1). */
  #integer(first: number, bits: number): number {
    const most = (1 << bits) - 1;
    let value = first & most;
    if (value < most) return value;
    for (let shift = 0; shift <= MAX_SHIFT; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new HpackError('an integer is too long');
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new HpackError('the block is truncated');
    return byte;
  }
}
