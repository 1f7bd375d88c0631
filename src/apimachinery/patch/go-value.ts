import { typeError } from '../codec/json/exact-decoder.js';
import { JsonReader } from '../codec/json/json-reader.js';
import { DecodeError } from '../errors/api-error.js';
import { sortKeys } from '../go/go-string.js';
import { parseMicroTime, parsePreciseTime, parseTime } from '../go/go-time.js';
import type { ListType, MapType, ScalarType, SchemaType, StructType } from '../schema/struct-type.js';
import { memberPath } from './patch-errors.js';

/** JSON as Go decodes it to `interface{}`: int64 and float64 are different types, here bigint and number. */
export type GoValue = null | boolean | string | bigint | number | GoValue[] | GoMap;
/** A JSON object whose keys may be names of inherited properties; Go's map[string]interface{}. */
export type GoMap = Map<string, GoValue>;

/** Parses text that is valid JSON and not nested too deeply; the last of duplicate keys wins. Throws DecodeError. */
export function parseGoValue(text: string): GoValue {
  return read(new JsonReader(text));
}

function read(reader: JsonReader): GoValue {
  switch (reader.kind()) {
    case 'object': {
      const map: GoMap = new Map();
      reader.eachMember((key) => map.set(key, read(reader)));
      return map;
    }
    case 'array': {
      const items: GoValue[] = [];
      reader.eachItem(() => items.push(read(reader)));
      return items;
    }
    case 'string':
      return reader.string();
    case 'number':
      return parseNumber(reader.literal());
    case 'bool':
      return reader.literal() === 'true';
    case 'null':
      reader.skip();
      return null;
  }
}

/** An integer within range is an int64, anything else a float64. */
function parseNumber(literal: string): bigint | number {
  if (/^-?[0-9]{1,19}$/.test(literal)) {
    const integer = BigInt(literal);
    if (BigInt.asIntN(64, integer) === integer) return integer;
  }
  const float = Number(literal);
  if (!Number.isFinite(float)) throw new DecodeError(`json: cannot unmarshal number ${literal} into Go value of type float64`);
  return float;
}

/** Converts to plain data, for fields that accept any JSON. */
export function toPlain(value: GoValue): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, toPlain(member)]));
  if (Array.isArray(value)) return value.map(toPlain);
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Formats like Go's `%v`: `map[a:1 b:[x y]]`. */
export function showGoValue(value: GoValue): string {
  if (typeof value === 'object' && value !== null) return showItems(value, showGoValue);
  if (value === null) return '<nil>';
  return typeof value === 'number' ? showFloat(value) : String(value);
}

/** Formats like Go's `%s`, which marks everything that is not a string. */
export function showAsString(value: GoValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'object') return showItems(value, showAsString);
  return `%!s(${goTypeOf(value)}=${showGoValue(value)})`;
}

function showItems(value: GoValue[] | GoMap, show: (item: GoValue) => string): string {
  if (Array.isArray(value)) return `[${value.map(show).join(' ')}]`;
  const members = sortKeys([...value.keys()]).map((key) => `${key}:${show(value.get(key) ?? null)}`);
  return `map[${members.join(' ')}]`;
}

function showFloat(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** The name of Go's reflect type: `int64`, `[]interface {}`, `map[string]interface {}`. */
export function goTypeOf(value: GoValue): string {
  if (value instanceof Map) return 'map[string]interface {}';
  return Array.isArray(value) ? '[]interface {}' : goKindOf(value);
}

/** The name of Go's reflect kind: `int64`, `slice`, `map`. */
function goKindOf(value: GoValue): string {
  if (value === null) return 'invalid';
  if (value instanceof Map) return 'map';
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

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
