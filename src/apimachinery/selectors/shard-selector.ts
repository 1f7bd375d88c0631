import { quote } from '../go/quote.js';
import { badRequest } from '../errors/status-errors.js';
import { CelSyntaxError } from './cel-lexer.js';
import { CelParser } from './cel-parser.js';
import { type Uint64, less, parseHex64, shardHash } from './shard-hash.js';
import { type ShardField, type ShardRange, shardRanges, ShardSelectorError } from './shard-range.js';

/** Selects the objects whose uid or namespace has a hash within one of several ranges. */
export class ShardSelector {
  /** Canonical text, as shown in a list's metadata. */
  readonly text: string;
  readonly #field: ShardField;
  readonly #ranges: readonly { readonly start: Uint64; readonly end: Uint64 }[];

  constructor(field: ShardField, ranges: readonly ShardRange[]) {
    this.text = ranges.map(({ start, end }) => `shardRange(${field}, '${start}', '${end}')`).join(' || ');
    this.#field = field;
    this.#ranges = ranges.map(({ start, end }) => ({ start: parseHex64(start), end: parseHex64(end) }));
  }

  matches(uid: string, namespace: string): boolean {
    const hash = shardHash(this.#field === 'object.metadata.uid' ? uid : namespace);
    return this.#ranges.some(({ start, end }) => !less(hash, start) && less(hash, end));
  }
}

/**
 * Parses a shard selector, a subset of CEL: `shardRange(object.metadata.uid, '0x0', '0x8000000000000000') || …`. Throws a 400 with
 * upstream's text where upstream returns 500; the details of CEL syntax errors differ.
 */
export function parseShardSelector(text: string): ShardSelector {
  const expression = text.trim();
  try {
    if (expression === '') {
      throw new ShardSelectorError('empty shard selector is not allowed; omit the parameter for unfiltered lists');
    }
    const ranges = shardRanges(new CelParser(expression).parse());
    return new ShardSelector(commonField(ranges), ranges);
  } catch (error) {
    if (error instanceof ShardSelectorError) throw badRequest(`invalid shard selector: ${error.message}`);
    if (error instanceof CelSyntaxError) throw badRequest(`invalid shard selector: CEL parse error: ${error.message}`);
    throw error;
  }
}

function commonField(ranges: readonly ShardRange[]): ShardField {
  const field = ranges[0]?.field ?? 'object.metadata.uid';
  const other = ranges.find((range) => range.field !== field);
  if (!other) return field;
  throw new ShardSelectorError(`all shard ranges must use the same field, got ${quote(field)} and ${quote(other.field)}`);
}
