import { HeaderField, OVERHEAD_BYTES, STATIC_TABLE } from './header-field.js';

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

/** A header block that cannot be decoded; later blocks of the connection cannot be decoded either. */
export class HpackError extends Error {}

/**
 * Code lengths in bits for all bytes, followed by that of the end-of-string symbol (RFC 7541 appendix B). The code is canonical, so the
 * lengths determine it completely.
 */
// prettier-ignore
const CODE_LENGTHS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];

const END_OF_STRING = 256;
/** Padding is a prefix of the end-of-string code, which is all ones, and is shorter than a byte. */
const MAX_PADDING_BITS = 7;

// Transition for four bits in a state: the next state, and the byte completed by them, if any. No code is shorter than five bits.
const STATE_MASK = 0xff;
const EMITS = 0x100;
const FAILS = 0x200;
const BYTE_SHIFT = 16;

type Tree = [zero: Tree | number, one: Tree | number];

/** Builds the canonical code as a tree: shorter codes come first; those of equal length follow the order of their symbols. */
function codeTree(): Tree {
  const root = [] as unknown as Tree;
  const symbols = CODE_LENGTHS.map((length, symbol) => ({ length, symbol })).sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  let code = 0;
  let before = 0;
  for (const { length, symbol } of symbols) {
    code <<= length - before;
    before = length;
    let node = root;
    for (let bit = length - 1; bit > 0; bit--) node = (node[(code >>> bit) & 1] ??= [] as unknown as Tree) as Tree;
    node[code & 1] = symbol;
    code += 1;
  }
  return root;
}

/** Builds one state for each inner node of the tree, the root first; `accepting` marks the states in which a string may end. */
function buildMachine(): { transitions: Uint32Array; accepting: Uint8Array } {
  const root = codeTree();
  const states: Tree[] = [root];
  for (const node of states) states.push(...node.filter((child) => typeof child !== 'number'));
  const numbers = new Map(states.map((state, number) => [state, number]));
  const transitions = new Uint32Array(states.length << 4);
  for (const [state, number] of numbers) {
    for (let bits = 0; bits < 16; bits++) transitions[(number << 4) | bits] = transition(root, state, bits, numbers);
  }
  const accepting = new Uint8Array(states.length);
  let node: Tree | number = root;
  for (let bits = 0; bits <= MAX_PADDING_BITS && typeof node !== 'number'; bits++) {
    accepting[numbers.get(node) ?? 0] = 1;
    node = node[1];
  }
  return { transitions, accepting };
}

function transition(root: Tree, state: Tree, bits: number, numbers: ReadonlyMap<Tree, number>): number {
  let node = state;
  let result = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const next: Tree | number = node[(bits >>> bit) & 1] as Tree | number;
    if (next === END_OF_STRING) return FAILS;
    if (typeof next === 'number') {
      result = EMITS | (next << BYTE_SHIFT);
      node = root;
    } else node = next;
  }
  return result | (numbers.get(node) ?? 0);
}

const { transitions, accepting } = buildMachine();
let scratch = Buffer.allocUnsafeSlow(4096);

/** Decodes a Huffman-coded string (RFC 7541 section 5.2) to one character per byte. Throws HpackError. */
function decodeHuffman(bytes: Buffer, start: number, end: number): string {
  // Eight bits complete at most two characters, because codes have at least five bits.
  if (scratch.length < 2 * (end - start)) scratch = Buffer.allocUnsafeSlow(2 * (end - start));
  let state = 0;
  let length = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    const high = transitions[(state << 4) | (byte >>> 4)] as number;
    if (high & EMITS) scratch[length++] = high >>> BYTE_SHIFT;
    const low = transitions[((high & STATE_MASK) << 4) | (byte & 15)] as number;
    if (low & EMITS) scratch[length++] = low >>> BYTE_SHIFT;
    if ((high | low) & FAILS) throw new HpackError('a string contains the end-of-string code');
    state = low & STATE_MASK;
  }
  if (!accepting[state]) throw new HpackError('a string ends in the middle of a code');
  return scratch.toString('latin1', 0, length);
}
