import { DecodeError } from '../../errors/api-error.js';
import { quote } from '../../go/go-string.js';
import { parseMicroTime, parsePreciseTime, parseTime } from '../../go/go-time.js';
import type { ListType, MapType, ScalarType, SchemaType, StructType } from '../../schema/struct-type.js';
import { JsonReader } from './json-reader.js';

const MAX_STRICT_ERRORS = 100;
const INT_LIMITS = { int32: [-(2n ** 31n), 2n ** 31n - 1n], int64: [-(2n ** 63n), 2n ** 63n - 1n] } as const;

type Members = Record<string, unknown>;

/** Decodes valid JSON text exactly as sigs.k8s.io/json fills Go structs, for everything that the fast path does not handle. */
export class ExactDecoder {
  readonly #reader: JsonReader;
  /** Names of the enclosing struct fields, for type errors. */
  readonly #path: string[] = [];
  #struct: StructType | undefined;
  /** Type errors do not stop the decoder; the first one is reported at the end. */
  #typeError: DecodeError | undefined;
  readonly #strictErrors = new Set<string>();

  constructor(text: string) {
    this.#reader = new JsonReader(text);
  }

  /** The object with all fields that were sent, not canonical yet. Throws DecodeError or TimeParseError. */
  decode(schema: StructType): { object: Members; strictErrors: string[] } {
    const object = this.#reader.isNull() ? {} : (this.#value(schema, undefined, '') as Members | undefined);
    if (this.#typeError !== undefined) throw this.#typeError;
    return { object: object ?? {}, strictErrors: [...this.#strictErrors] };
  }

  /**
   * Decodes the next value over `previous`, the result of an earlier duplicate key. Returns undefined for a null that sets a Go pointer,
   * map or slice to nil. `at` is the path in strict errors.
   */
  #value(type: SchemaType, previous: unknown, at: string): unknown {
    switch (type.kind) {
      case 'struct':
        return this.#structValue(type, previous, at);
      case 'map':
        return this.#mapValue(type, previous, at);
      case 'list':
        return this.#listValue(type, previous, at);
      case 'raw':
        return this.#reader.raw();
      case 'scalar':
        return this.#scalar(type, previous);
    }
  }

  #structValue(type: StructType, previous: unknown, at: string): unknown {
    if (this.#refused('object', type)) return previous;
    const outer = this.#struct;
    const object = (previous ?? {}) as Members;
    const seen = new Set<string>();
    this.#reader.eachMember((key) => {
      const field = type.fields.find(({ name }) => name === key);
      if (field === undefined) {
        this.#strict('unknown', at, key);
        this.#reader.skip();
        return;
      }
      if (seen.has(key)) this.#strict('duplicate', at, key);
      seen.add(key);
      this.#struct = type;
      this.#path.push(key);
      this.#assign(object, key, this.#nullable(field.type, field.presence === 'optional', object[key], join(at, key)));
      this.#path.pop();
      this.#struct = outer;
    });
    return object;
  }

  /** Null resets what can be nil in Go, and leaves anything else unchanged, including the previous value of a duplicate key. */
  #nullable(type: SchemaType, pointer: boolean, previous: unknown, at: string): unknown {
    if (!this.#reader.isNull()) return this.#value(type, previous, at);
    this.#reader.skip();
    return pointer || type.kind === 'map' || type.kind === 'list' || type.kind === 'raw' || isTimeType(type) ? undefined : previous;
  }

  #assign(object: Members, key: string, value: unknown): void {
    if (value === undefined) delete object[key];
    else object[key] = value;
  }

  #mapValue(type: MapType, previous: unknown, at: string): unknown {
    if (this.#refused('object', type)) return previous;
    const entries = new Map<string, unknown>(Object.entries((previous ?? {}) as Members));
    const seen = new Set<string>();
    this.#reader.eachMember((key) => {
      if (seen.has(key)) this.#strict('duplicate', at, key);
      seen.add(key);
      entries.set(key, this.#nullable(type.values, false, undefined, join(at, key)) ?? zeroValue(type.values));
    });
    return Object.fromEntries(entries);
  }

  /** Go decodes the elements of a second array over those of the first, and truncates the rest. */
  #listValue(type: ListType, previous: unknown, at: string): unknown {
    if (this.#refused('array', type)) return previous;
    const before = (previous ?? []) as readonly unknown[];
    const items: unknown[] = [];
    this.#reader.eachItem((index) => {
      items.push(this.#nullable(type.items, false, before[index], `${at}[${index}]`) ?? zeroValue(type.items));
    });
    return items;
  }

  #scalar(type: ScalarType, previous: unknown): unknown {
    if (type.scalar === 'time' || type.scalar === 'microTime') return this.#time(type);
    const wanted = type.scalar === 'string' ? 'string' : type.scalar === 'bool' ? 'bool' : 'number';
    const found = this.#reader.kind();
    if (found !== wanted) {
      this.#mismatch(type);
      return previous;
    }
    if (wanted === 'string') return this.#reader.string();
    const literal = this.#reader.literal();
    if (wanted === 'bool') return literal === 'true';
    if (!isInteger(literal, INT_LIMITS[type.scalar as 'int32' | 'int64'])) {
      this.#typeError ??= this.#mistake(`number ${literal}`, type);
      return previous;
    }
    return toNumber(literal);
  }

  /** Times have their own UnmarshalJSON methods, whose errors abort the decoding. */
  #time({ scalar, precise }: ScalarType): string {
    if (this.#reader.kind() !== 'string') throw this.#mistake(this.#reader.kind(), { kind: 'scalar', scalar: 'string' });
    const text = this.#reader.string();
    if (scalar === 'microTime') return parseMicroTime(text);
    return precise ? parsePreciseTime(text) : parseTime(text);
  }

  /** Whether the next value is not a container of this kind; the error is then recorded and the value skipped. */
  #refused(wanted: 'object' | 'array', type: SchemaType): boolean {
    if (this.#reader.kind() === wanted) return false;
    this.#mismatch(type);
    return true;
  }

  #mismatch(type: SchemaType): void {
    this.#typeError ??= this.#mistake(this.#reader.kind(), type);
    this.#reader.skip();
  }

  #mistake(value: string, type: SchemaType): DecodeError {
    return typeError(value, goTypeName(type), this.#struct && { struct: this.#struct, path: this.#path });
  }

  #strict(what: 'unknown' | 'duplicate', at: string, key: string): void {
    if (this.#strictErrors.size < MAX_STRICT_ERRORS) this.#strictErrors.add(`${what} field ${quote(join(at, key))}`);
  }
}

function join(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`;
}

function isTimeType(type: SchemaType): boolean {
  return type.kind === 'scalar' && (type.scalar === 'time' || type.scalar === 'microTime');
}

/** The result of a null in a list or map. */
function zeroValue(type: SchemaType): unknown {
  if (type.kind === 'struct' || type.kind === 'map') return {};
  if (type.kind === 'list') return [];
  if (type.kind === 'raw') return null;
  if (type.scalar === 'string') return '';
  if (type.scalar === 'bool') return false;
  return isTimeType(type) ? null : 0;
}

function isInteger(literal: string, [low, high]: readonly [bigint, bigint]): boolean {
  if (!/^-?[0-9]{1,19}$/.test(literal)) return false;
  const value = BigInt(literal);
  return value >= low && value <= high;
}

const LARGEST = 2 ** 63 - 1024;

/** Integers above 2^53 are rounded such that their decimal text stays within int64. */
function toNumber(literal: string): number {
  return Math.min(Math.max(Number(literal) + 0, -LARGEST), LARGEST);
}

/** The position of a value in the Go types: the struct of the field, and the names of the fields leading to it. */
export interface GoContext {
  readonly struct: StructType;
  readonly path: readonly string[];
}

/** encoding/json's UnmarshalTypeError; `value` is `string`, `number`, `number 1.5`, `object`, `array` or `bool`. */
export function typeError(value: string, goType: string, context?: GoContext): DecodeError {
  const target = context === undefined ? 'Go value' : `Go struct field ${context.struct.goName}.${context.path.join('.')}`;
  return new DecodeError(`json: cannot unmarshal ${value} into ${target} of type ${goType}`);
}

/** The name of a type as printed by Go: `v1.LeaseSpec`, `map[string]string`, `int32`. */
export function goTypeName(type: SchemaType): string {
  switch (type.kind) {
    case 'struct':
      return `${type.openapiName.split('.').at(-2) ?? 'v1'}.${type.goName}`;
    case 'list':
      return type.goType ?? `[]${goTypeName(type.items)}`;
    case 'map':
      return `map[string]${goTypeName(type.values)}`;
    case 'raw':
      return 'interface {}';
    case 'scalar':
      return type.goType ?? (type.scalar === 'time' || type.scalar === 'microTime' ? 'string' : type.scalar);
  }
}
