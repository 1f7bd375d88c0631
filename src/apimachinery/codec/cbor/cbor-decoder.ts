import { DecodeError } from '../../errors/api-error.js';
import { quote } from '../../go/go-string.js';
import { parseMicroTime, parsePreciseTime, parseTime } from '../../go/go-time.js';
import { canonicalize } from '../../schema/canonical-object.js';
import type { ScalarType, SchemaType, StructType } from '../../schema/struct-type.js';
import { goTypeName } from '../json/exact-decoder.js';
import { type CborInteger, type CborMap, type CborNode, isNull, isString, readCbor } from './read-cbor.js';

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

type Members = Record<string, unknown>;

const LIMITS = { int32: [-(2n ** 31n), 2n ** 31n - 1n], int64: [-(2n ** 63n), 2n ** 63n - 1n] } as const;

/**
 * Decodes data items as upstream's CBOR serializer fills Go structs. Unlike in JSON, duplicate keys are always errors, and only the first
 * unknown field is reported, by its index.
 */
export class CborDecoder {
  /** `v1.Lease.spec`: the field of the outermost struct; type errors show no deeper path. */
  #target: string | undefined;
  #unknown: string | undefined;

  /** The object in canonical form. Throws DecodeError or TimeParseError. */
  decode(schema: StructType, node: CborNode): { object: Members; strictErrors: string[] } {
    const object = isNull(node) ? {} : this.#struct(schema, node);
    return { object: canonicalize(schema, object), strictErrors: this.#unknown === undefined ? [] : [this.#unknown] };
  }

  #value(type: SchemaType, node: CborNode): unknown {
    switch (type.kind) {
      case 'struct':
        return this.#struct(type, node);
      case 'list':
        if (node.kind !== 'array') throw this.#mismatch(node, type);
        return node.items.map((item) => (isNull(item) ? zeroValue(type.items) : this.#value(type.items, item)));
      case 'map':
        return this.#map(type.values, node, type);
      case 'raw':
        return plainValue(node);
      case 'scalar':
        return this.#scalar(type, node);
    }
  }

  #struct(type: StructType, node: CborNode): Members {
    if (node.kind !== 'map') {
      throw this.#mismatch(node, type, node.kind === 'array' ? ' (cannot decode CBOR array to struct without toarray option)' : '');
    }
    const object: Members = {};
    const outermost = this.#target === undefined;
    checkKeys(node);
    node.entries.forEach(([key, value], index) => {
      const field = isString(key) ? type.fields.find(({ name }) => name === key.value) : undefined;
      if (field === undefined) {
        this.#unknown ??= `cbor: found unknown field at map element index ${index}`;
        return;
      }
      if (outermost) this.#target = `${goTypeName(type)}.${field.name}`;
      if (!isNull(value)) object[field.name] = this.#value(field.type, value);
      if (outermost) this.#target = undefined;
    });
    return object;
  }

  #map(values: SchemaType, node: CborNode, type: SchemaType): Members {
    if (node.kind !== 'map') throw this.#mismatch(node, type);
    checkKeys(node);
    return Object.fromEntries(
      node.entries.map(([key, value]) => {
        if (!isString(key)) throw this.#mismatch(key, { kind: 'scalar', scalar: 'string' });
        return [key.value, isNull(value) ? zeroValue(values) : this.#value(values, value)];
      }),
    );
  }

  #scalar(type: ScalarType, node: CborNode): unknown {
    if (type.scalar === 'bool') {
      if (node.kind !== 'primitives' || typeof node.value !== 'boolean') throw this.#mismatch(node, type);
      return node.value;
    }
    if (type.scalar === 'int32' || type.scalar === 'int64') return this.#integer(type, LIMITS[type.scalar], node);
    if (!isString(node)) throw this.#mismatch(node, type);
    if (type.scalar === 'string') return node.value;
    if (type.scalar === 'microTime') return parseMicroTime(node.value);
    return type.precise ? parsePreciseTime(node.value) : parseTime(node.value);
  }

  #integer(type: ScalarType, [low, high]: readonly [bigint, bigint], node: CborNode): number {
    if (node.kind !== 'positive integer' && node.kind !== 'negative integer') throw this.#mismatch(node, type);
    const { value } = node;
    if (value < low || value > high) {
      throw this.#mismatch(node, type, ` (${value} overflows ${value < LIMITS.int64[0] ? "Go's " : ''}${type.scalar})`);
    }
    return toNumber(node);
  }

  #mismatch(node: CborNode, type: SchemaType, detail = ''): DecodeError {
    const target = this.#target === undefined ? 'Go value' : `Go struct field ${this.#target}`;
    return new DecodeError(`cbor: cannot unmarshal ${node.kind} into ${target} of type ${goTypeName(type)}${detail}`);
  }
}

/** Throws for duplicate keys; text and byte strings with the same content are equal. */
export function checkKeys(map: CborMap): void {
  const seen = new Set<string>();
  map.entries.forEach(([key], index) => {
    if (!isString(key)) return;
    if (seen.has(key.value)) throw new DecodeError(`cbor: found duplicate map key ${quote(key.value)} at map element index ${index}`);
    seen.add(key.value);
  });
}

/** The JSON value of an item, for fields that accept any value. */
function plainValue(node: CborNode): unknown {
  switch (node.kind) {
    case 'array':
      return node.items.map(plainValue);
    case 'map':
      checkKeys(node);
      return Object.fromEntries(
        node.entries.map(([key, value]) => [isString(key) ? key.value : String(plainValue(key)), plainValue(value)]),
      );
    case 'positive integer':
    case 'negative integer':
      return toNumber(node);
    case 'byte string':
    case 'UTF-8 text string':
    case 'primitives':
      return node.value;
    case 'refused':
      throw node.error;
  }
}

function toNumber(node: CborInteger): number {
  return Number(node.value);
}

/** The result of a null in a list or map. */
function zeroValue(type: SchemaType): unknown {
  if (type.kind === 'list') return [];
  if (type.kind !== 'scalar') return type.kind === 'raw' ? null : {};
  if (type.scalar === 'bool') return false;
  return type.scalar === 'int32' || type.scalar === 'int64' ? 0 : '';
}
