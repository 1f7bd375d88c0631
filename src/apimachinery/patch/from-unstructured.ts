import { DecodeError } from '../errors/decode-error.js';
import { parseMicroTime, parsePreciseTime, parseTime } from '../go/go-time.js';
import { typeError } from '../codec/json/json-type-error.js';
import type { ListType, MapType, ScalarType, SchemaType, StructType } from '../schema/struct-type.js';
import { type GoValue, goKindOf, toPlain } from './go-value.js';
import { memberPath } from './strict-findings.js';

/** An object converted from a patched document, with the findings of strict decoding. */
export interface RestoredObject {
  /** Not canonical yet. */
  readonly object: Record<string, unknown>;
  /** `unknown field "spec.foo"`, sorted. */
  readonly findings: readonly string[];
}

/**
 * Converts untyped data to a typed object like apimachinery's pkg/runtime/converter.go, which differs from the JSON decoder: whole floats
 * are integers, integers that are too large wrap around, and it has its own errors. Throws DecodeError or TimeParseError.
 */
export function fromUnstructured(value: GoValue, type: StructType): RestoredObject {
  const converter = new Converter();
  const object = converter.struct(value, type, '');
  return { object, findings: converter.findings.sort() };
}

const LARGEST = 2 ** 63 - 1024;

class Converter {
  readonly findings: string[] = [];

  struct(value: GoValue, type: StructType, path: string): Record<string, unknown> {
    if (!(value instanceof Map)) throw new DecodeError(`cannot restore struct from: ${goKindOf(value)}`);
    const object: Record<string, unknown> = {};
    for (const field of type.fields) {
      const member = value.get(field.name);
      if (member !== undefined && member !== null) object[field.name] = this.#value(member, field.type, memberPath(path, field.name));
    }
    for (const key of value.keys()) {
      if (!type.fields.some(({ name }) => name === key)) this.findings.push(`unknown field "${memberPath(path, key)}"`);
    }
    return object;
  }

  #value(value: GoValue, type: SchemaType, path: string): unknown {
    switch (type.kind) {
      case 'struct':
        return this.struct(value, type, path);
      case 'map':
        return this.#map(value, type, path);
      case 'list':
        return this.#list(value, type, path);
      case 'raw':
        return toPlain(value);
      case 'scalar':
        return scalar(value, type);
    }
  }

  #map(value: GoValue, type: MapType, path: string): unknown {
    if (!(value instanceof Map)) throw new DecodeError(`cannot restore map from ${goKindOf(value)}`);
    return Object.fromEntries([...value].map(([key, member]) => [key, this.#item(member, type.values, memberPath(path, key))]));
  }

  #list(value: GoValue, type: ListType, path: string): unknown {
    if (!Array.isArray(value)) throw new DecodeError(`cannot restore slice from ${goKindOf(value)}`);
    return value.map((item, index) => this.#item(item, type.items, `${path}[${index}]`));
  }

  #item(value: GoValue, type: SchemaType, path: string): unknown {
    return value === null ? zero(type) : this.#value(value, type, path);
  }
}

function zero(type: SchemaType): unknown {
  if (type.kind === 'list') return [];
  if (type.kind !== 'scalar') return {};
  if (type.scalar === 'bool') return false;
  return type.scalar === 'int32' || type.scalar === 'int64' ? 0 : '';
}

function scalar(value: GoValue, type: ScalarType): unknown {
  switch (type.scalar) {
    case 'time':
      return type.precise ? parsePreciseTime(textOf(value)) : parseTime(textOf(value));
    case 'microTime':
      return parseMicroTime(textOf(value));
    case 'string':
      if (typeof value === 'string') return value;
      throw new DecodeError(typeof value === 'bigint' ? `cannot convert int64 to ${type.goType ?? 'string'}` : 'unrecognized type: string');
    case 'bool':
      if (typeof value === 'boolean') return value;
      throw new DecodeError('unrecognized type: bool');
    case 'int32':
    case 'int64':
      return integer(value, type.scalar);
  }
}

function integer(value: GoValue, scalar: 'int32' | 'int64'): number {
  if (typeof value === 'number' && !Number.isInteger(value)) throw new DecodeError(`cannot convert float64 to ${scalar}`);
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new DecodeError(`unrecognized type: ${scalar}`);
  const wrapped = BigInt.asIntN(scalar === 'int32' ? 32 : 64, BigInt(value));
  return Math.min(Math.max(Number(wrapped), -LARGEST), LARGEST);
}

/** Times are parsed by their own UnmarshalJSON. */
function textOf(value: GoValue): string {
  if (typeof value === 'string') return value;
  const kind = value instanceof Map ? 'object' : Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : 'number';
  throw typeError(kind, 'string');
}
