import { DecodeError } from '../../errors/decode-error.js';
import { checkKeys } from './cbor-decoder.js';
import { type CborMap, type CborNode, isNull, isString } from './cbor-node.js';
import { readCbor } from './read-cbor.js';

/**
 * Decodes a CBOR body that is a map, or null for no object, to plain data. Throws a DecodeError for anything else, and one of what the body
 * contains first.
 */
export function cborToPlainMap(body: Buffer): Record<string, unknown> {
  const node = readCbor(body);
  if (isNull(node)) return {};
  if (node.kind === 'map') return plainMap(node);
  plain(node);
  throw new DecodeError(`cbor: cannot unmarshal ${node.kind} into Go value of type map[string]interface {}`);
}

/** Decodes a CBOR body to plain data, without a type. Throws a DecodeError, also for duplicate keys. */
export function cborToPlain(body: Buffer): unknown {
  return plain(readCbor(body));
}

function plain(node: CborNode): unknown {
  switch (node.kind) {
    case 'positive integer':
    case 'negative integer':
      return Number(node.value);
    case 'array':
      return node.items.map(plain);
    case 'map':
      return plainMap(node);
    case 'byte string':
    case 'UTF-8 text string':
    case 'primitives':
      return node.value;
    case 'refused':
      throw node.error;
  }
}

function plainMap(map: CborMap): Record<string, unknown> {
  checkKeys(map);
  return Object.fromEntries(map.entries.map(([key, value]) => [textOf(key), plain(value)]));
}

function textOf(key: CborNode): string {
  if (!isString(key)) throw new DecodeError(`cbor: cannot unmarshal ${key.kind} into Go value of type string`);
  return key.value;
}
