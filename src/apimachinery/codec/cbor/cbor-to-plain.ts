import { checkKeys } from './cbor-decoder.js';
import type { CborMap, CborNode } from './cbor-node.js';
import { isString } from './cbor-node.js';
import { readCbor } from './cbor-reader.js';

/** A CBOR body as plain data, without a type to decode it into. Throws a DecodeError, also for duplicate keys. */
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
  }
}

function plainMap(map: CborMap): Record<string, unknown> {
  checkKeys(map);
  return Object.fromEntries(map.entries.map(([key, value]) => [isString(key) ? key.value : String(plain(key)), plain(value)]));
}
