import { badRequest } from '../errors/status-errors.js';
import { quote } from '../go/go-string.js';
import { type CelNode, CelParser, CelSyntaxError } from './cel-parser.js';

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

/** The fields that a shard selector can hash. */
type ShardField = 'object.metadata.uid' | 'object.metadata.namespace';

/** `shardRange(field, start, end)`: hashes from `start` up to but excluding `end`, as `0x` and at least 16 digits. */
interface ShardRange {
  readonly field: ShardField;
  readonly start: string;
  readonly end: string;
}

/** An expression that is not a shard selector; the message is upstream's. */
class ShardSelectorError extends Error {
  override readonly name = 'ShardSelectorError';
}

/** Numbers of CEL's expression kinds, as shown in messages. */
const KINDS = { call: 1, ident: 3, list: 4, literal: 5, map: 6, select: 7 } as const;

/** The ranges in an expression, in order (apiserver pkg/sharding/parser.go). Throws ShardSelectorError. */
function shardRanges(node: CelNode): ShardRange[] {
  if (node.kind !== 'call') {
    throw new ShardSelectorError(`unexpected expression kind ${KINDS[node.kind]}; expected shardRange() call or || operator`);
  }
  if (node.name === '_||_') return node.args.flatMap(shardRanges);
  if (node.name !== 'shardRange') {
    throw new ShardSelectorError(`unsupported function ${quote(node.name)}; only shardRange() and || are allowed`);
  }
  return [shardRange(node.args)];
}

function shardRange(args: readonly CelNode[]): ShardRange {
  const [field, from, to] = args;
  if (field === undefined || from === undefined || to === undefined || args.length > 3) {
    throw new ShardSelectorError(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  }
  const path = fieldPath(field);
  if (path !== 'object.metadata.uid' && path !== 'object.metadata.namespace') {
    throw new ShardSelectorError(`unsupported field path ${quote(path)}; supported: object.metadata.uid, object.metadata.namespace`);
  }
  const start = bound(from, 'hexStart');
  const end = bound(to, 'hexEnd');
  if (start.length > end.length || (start.length === end.length && start >= end)) {
    throw new ShardSelectorError(`shard range start ${start} must be less than end ${end}`);
  }
  return { field: path, start, end };
}

function fieldPath(argument: CelNode): string {
  const fields: string[] = [];
  let node = argument;
  while (node.kind === 'select') {
    fields.unshift(node.field);
    node = node.operand;
  }
  if (node.kind === 'ident') return [node.name, ...fields].join('.');
  throw new ShardSelectorError(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${KINDS[node.kind]}`,
  );
}

const TWO_TO_THE_64 = '0x10000000000000000';

/** Parses one bound. A short one is padded with zeros, as upstream documents but does not implement. */
function bound(node: CelNode, name: string): string {
  if (node.kind !== 'literal') {
    throw new ShardSelectorError(`${name} must be a string literal (e.g. '0xff'), got expression kind ${KINDS[node.kind]}`);
  }
  if (node.string === undefined) throw new ShardSelectorError(`${name} must be a string literal, got ${node.goType}`);
  const text = node.string;
  if (!text.startsWith('0x')) throw new ShardSelectorError(`${name} must have '0x' prefix, got ${quote(text)}`);
  const digits = text.slice(2);
  if (digits === '') throw new ShardSelectorError(`${name}: hex value is required after '0x'`);
  const bytes = Buffer.byteLength(digits);
  if (bytes > 17) throw new ShardSelectorError(`${name}: hex value too long (${bytes} chars, max 17): ${quote(digits)}`);
  const wrong = /[^0-9a-f]/u.exec(digits)?.[0];
  if (wrong !== undefined) throw new ShardSelectorError(`${name}: invalid hex character ${quote(wrong)} in ${quote(text)}`);
  if (bytes === 17 && text !== TWO_TO_THE_64) {
    throw new ShardSelectorError(`${name}: 17-digit hex value must be '${TWO_TO_THE_64}' (2^64), got ${quote(text)}`);
  }
  return `0x${digits.padStart(16, '0')}`;
}

/** An unsigned number of up to 64 bits, or 2^64, in two halves: comparing and multiplying them needs no BigInt. */
interface Uint64 {
  readonly high: number;
  readonly low: number;
}

const HALF = 2 ** 32;
/** The prime is 2^40 + 435. */
const PRIME_LOW = 435;
const OFFSET: Uint64 = { high: 0xcbf29ce4, low: 0x84222325 };

const ASCII = /^[\0-\x7f]*$/;

/** 64-bit FNV-1a of a text's UTF-8 bytes. It determines the shard of an object, so it must never change. */
export function shardHash(text: string): Uint64 {
  let { high, low } = OFFSET;
  const bytes = ASCII.test(text) ? undefined : Buffer.from(text);
  const length = bytes ? bytes.length : text.length;
  for (let i = 0; i < length; i++) {
    const mixed = (low ^ (bytes ? (bytes[i] ?? 0) : text.charCodeAt(i))) >>> 0;
    const product = mixed * PRIME_LOW;
    low = product % HALF;
    high = (high * PRIME_LOW + Math.floor(product / HALF) + mixed * 256) % HALF;
  }
  return { high, low };
}

/** Whether a is less than b. */
function less(a: Uint64, b: Uint64): boolean {
  return a.high === b.high ? a.low < b.low : a.high < b.high;
}

/** Parses `0x` and 16 or 17 hexadecimal digits, which the caller has checked. */
function parseHex64(text: string): Uint64 {
  return { high: parseInt(text.slice(2, -8), 16), low: parseInt(text.slice(-8), 16) };
}
