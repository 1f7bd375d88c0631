import { quote } from '../go/quote.js';
import type { CelNode } from './cel-parser.js';

/** The fields that a shard selector can hash. */
export type ShardField = 'object.metadata.uid' | 'object.metadata.namespace';

/** `shardRange(field, start, end)`: hashes from `start` up to but excluding `end`, as `0x` and at least 16 digits. */
export interface ShardRange {
  readonly field: ShardField;
  readonly start: string;
  readonly end: string;
}

/** An expression that is not a shard selector; the message is upstream's. */
export class ShardSelectorError extends Error {
  override readonly name = 'ShardSelectorError';
}

/** Numbers of CEL's expression kinds, as shown in messages. */
const KINDS = { call: 1, ident: 3, list: 4, literal: 5, map: 6, select: 7 } as const;

/** The ranges in an expression, in order (apiserver pkg/sharding/parser.go). Throws ShardSelectorError. */
export function shardRanges(node: CelNode): ShardRange[] {
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
