import { DecodeError } from '../errors/decode-error.js';
import { sortKeys } from '../go/go-string.js';
import { JsonReader } from '../codec/json/json-reader.js';

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
export function goKindOf(value: GoValue): string {
  if (value === null) return 'invalid';
  if (value instanceof Map) return 'map';
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
