/**
 * The schema of an API type, defined once. Decoding, encoding, protobuf, patches, server-side apply, OpenAPI, Table columns and the
 * TypeScript type (`TypeOf`) are all derived from it, so that each field is described in exactly one place.
 */
export type SchemaType = ScalarType | MapType | ListType | RawType | StructType;

/** Go's type of a scalar: `time` is metav1.Time, `microTime` metav1.MicroTime. */
export type ScalarKind = 'string' | 'int32' | 'int64' | 'bool' | 'time' | 'microTime';

/** A string, number, boolean or timestamp. In memory: string, number, boolean; timestamps as their canonical wire text. */
export interface ScalarType<Kind extends ScalarKind = ScalarKind, Value extends string = string> {
  readonly kind: 'scalar';
  readonly scalar: Kind;
  /** Name of a Go string type in error texts, such as `v1.CoordinatedLeaseStrategy`; empty for plain strings. */
  readonly goType?: string;
  /** The values listed in OpenAPI and allowed by TypeScript. Decoders accept any string; the strategy's validation rejects others. */
  readonly values?: readonly Value[];
  /** Whether a `time` keeps its fraction in memory, where a comparison shows it. It is never written. */
  readonly precise?: boolean;
}

/** An object with arbitrary keys. In memory: a plain object, whose keys may be names of inherited properties (including `__proto__`). */
export interface MapType<Values extends SchemaType = SchemaType> {
  readonly kind: 'map';
  readonly values: Values;
}

/** How server-side apply merges an array (`x-kubernetes-list-type`). */
type ListSemantics = 'atomic' | 'set' | 'map';

/** An array. In memory: an array; null on the wire becomes absent in memory. */
export interface ListType<Items extends SchemaType = SchemaType> {
  readonly kind: 'list';
  readonly items: Items;
  readonly semantics: ListSemantics;
  /** Name of a Go list type in error texts, such as `v1.ExtraValue`. */
  readonly goType?: string;
  /** The key fields of `map` lists (`x-kubernetes-list-map-keys`). */
  readonly mapKeys?: readonly string[];
  /** Strategic merge patch: `merge` (by `patchMergeKey`, or as a union of primitives) or `replace`, the default. */
  readonly patchStrategy?: 'merge' | 'replace';
  readonly patchMergeKey?: string;
  /** Whether OpenAPI omits the list type (upstream's Go field has no marker). */
  readonly undeclared?: boolean;
  /** Whether protobuf encodes the list as a separate message, with the items in field 1 (`Verbs`, `ExtraValue`). */
  readonly protoWrapped?: boolean;
}

/** Any JSON value, kept unchanged (FieldsV1, raw extensions). `Value` is its assumed TypeScript type. */
interface RawType<Value = unknown> {
  readonly kind: 'raw';
  /** OpenAPI name of the type, such as `io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1`. */
  readonly openapiName?: string;
  readonly description?: string;
  /** Never set; carries `Value` for `TypeOf`. */
  readonly valueType?: Value;
}

/**
 * When a field is written:
 * - `always`: present even if empty (zero value: "", 0, false, {} or null for lists);
 * - `omitEmpty`: a Go value with omitempty: dropped when zero (so "" and 0 are the same as absent);
 * - `optional`: a Go pointer with omitempty: dropped only when absent ("" and 0 are kept).
 */
export type Presence = 'always' | 'omitEmpty' | 'optional';

export interface Field<Name extends string = string, Type extends SchemaType = SchemaType, FieldPresence extends Presence = Presence> {
  readonly name: Name;
  readonly type: Type;
  readonly presence: FieldPresence;
  /** For an `optional` field (a Go pointer without omitempty): written as null if absent. */
  readonly writesNull?: boolean;
  /** Protobuf field number; 0 for types without a protobuf form. */
  readonly proto: number;
  /** Our own text, not upstream's; shown by OpenAPI, kubectl explain and Swagger UI. */
  readonly description: string;
  /** Whether OpenAPI 3 states Go's zero value as the default, though the field may be absent (upstream's marker +default). */
  readonly zeroDefault?: boolean;
  /** Whether OpenAPI lists it as required. */
  readonly required?: boolean;
}

/** A Go struct: the type of an object or of a part of one. In memory: a plain object with only the known fields. */
export interface StructType<Fields extends readonly Field[] = readonly Field[]> {
  readonly kind: 'struct';
  /** Go's name of the type in JSON errors: `LeaseSpec`. */
  readonly goName: string;
  /** OpenAPI v2 definition name: `io.k8s.api.coordination.v1.LeaseSpec`. */
  readonly openapiName: string;
  readonly description: string;
  /** In wire order. */
  readonly fields: Fields;
  /** Whether server-side apply treats a value as one leaf (`x-kubernetes-map-type: atomic`). */
  readonly atomic?: boolean;
}

/** A scalar; `goType` is its name in type errors, such as `types.UID`, and `values` are those of an enum. */
function scalar<Kind extends ScalarKind, const Value extends string = string>(
  kind: Kind,
  goType?: string,
  values?: readonly Value[],
): ScalarType<Kind, Value> {
  return { kind: 'scalar', scalar: kind, ...(goType === undefined ? {} : { goType }), ...(values === undefined ? {} : { values }) };
}

/** A string; with `values`, an enum of Go type `goType`. */
export function string<const Value extends string = string>(goType?: string, values?: readonly Value[]): ScalarType<'string', Value> {
  return scalar('string', goType, values);
}

/** A 32-bit integer; decoders reject values out of range. */
export const int32 = (): ScalarType<'int32'> => scalar('int32');
/** A 64-bit integer. In memory a number, exact up to 2^53. */
export const int64 = (): ScalarType<'int64'> => scalar('int64');
/** true or false. */
export const bool = (): ScalarType<'bool'> => scalar('bool');
/** metav1.Time: whole seconds. */
export const time = (): ScalarType<'time'> => scalar('time');
/** A metav1.Time that keeps its fraction in memory. */
export const preciseTime = (): ScalarType<'time'> => ({ ...scalar('time'), precise: true });
/** metav1.MicroTime: six fractional digits. */
export const microTime = (): ScalarType<'microTime'> => scalar('microTime');

/** A map from any string to `values`. */
export function map<Values extends SchemaType>(values: Values): MapType<Values> {
  return { kind: 'map', values };
}

/** An array; `atomic` unless `merging` specifies otherwise. */
export function list<Items extends SchemaType>(items: Items, merging: Partial<Omit<ListType, 'kind' | 'items'>> = {}): ListType<Items> {
  return { kind: 'list', items, semantics: 'atomic', ...merging };
}

/** Any JSON value. `Value` is its assumed TypeScript type. */
export function raw<Value = unknown>(openapiName?: string, description?: string): RawType<Value> {
  return { kind: 'raw', openapiName, description };
}

/**
 * A struct: `struct('io.k8s.api.coordination.v1.LeaseSpec', 'A lease.', [...])`. Go's name is the last part of the name in OpenAPI. The fields
 * keep their types, so that `TypeOf` can infer them.
 */
export function struct<const Fields extends readonly Field[]>(
  openapiName: string,
  description: string,
  fields: Fields,
  more: Partial<Pick<StructType, 'goName' | 'atomic'>> = {},
): StructType<Fields> {
  return { kind: 'struct', goName: openapiName.slice(openapiName.lastIndexOf('.') + 1), openapiName, description, fields, ...more };
}

/** A field of the given presence: `field('name', 1, string(), 'omitEmpty', 'Its name.')`. `proto` is the protobuf field number. */
export function field<const Name extends string, Type extends SchemaType, const FieldPresence extends Presence>(
  name: Name,
  proto: number,
  type: Type,
  presence: FieldPresence,
  description: string,
): Field<Name, Type, FieldPresence> {
  return { name, type, presence, proto, description };
}

/** A field that is always written and that OpenAPI lists as required. */
export function requiredField<const Name extends string, Type extends SchemaType>(
  name: Name,
  proto: number,
  type: Type,
  description: string,
): Field<Name, Type, 'always'> {
  return { name, type, presence: 'always', proto, description, required: true };
}

const KIND = 'Kind of the object, in CamelCase. It cannot be changed.';
const API_VERSION = 'Group and version of the schema of this object. The server converts between the versions that it serves.';

/** `kind` and `apiVersion`, the first two fields of every object; protobuf has them in the envelope. */
export function typeMetaFields(): TypeMetaFields {
  return [field('kind', 0, string(), 'omitEmpty', KIND), field('apiVersion', 0, string(), 'omitEmpty', API_VERSION)];
}

type TypeMetaFields = [Field<'kind', ScalarType<'string'>, 'omitEmpty'>, Field<'apiVersion', ScalarType<'string'>, 'omitEmpty'>];

/**
 * The TypeScript type of a value: `type Lease = TypeOf<typeof leaseV1Schema>`. It holds for canonical objects (see `canonicalize`) and
 * for parsed JSON of stored ones:
 * - required: scalars and structs of presence `always`, which canonical objects always have;
 * - nullable and optional: lists, maps, times and raw values of presence `always`, and fields with `writesNull`: Go's nil, which is
 *   absent in memory and null in JSON;
 * - optional: everything else.
 *
 * Lists are read-only, since objects may be shared once they left the decoder.
 */
export type TypeOf<Type extends SchemaType> =
  Type extends ScalarType<infer Kind, infer Value>
    ? ScalarValues<Value>[Kind]
    : Type extends StructType<infer Fields>
      ? StructValue<Fields[number]>
      : Type extends ListType<infer Items>
        ? readonly TypeOf<Items>[]
        : Type extends MapType<infer Values>
          ? Record<string, TypeOf<Values>>
          : Type extends RawType<infer Value>
            ? Value
            : never;

interface ScalarValues<Value extends string> {
  string: Value;
  int32: number;
  int64: number;
  bool: boolean;
  time: string;
  microTime: string;
}

type StructValue<F extends Field> = Flat<
  { [Each in F as Each extends AlwaysThere ? Each['name'] : never]: TypeOf<Each['type']> } & {
    [Each in F as Each extends AlwaysThere ? never : Each['name']]?: TypeOf<Each['type']> | NullOf<Each>;
  }
>;

/** The fields whose zero value `canonicalize` fills in. */
type AlwaysThere = Field<string, ScalarType<'string' | 'int32' | 'int64' | 'bool'> | StructType, 'always'>;

/** `null` if an absent value is written as null. */
type NullOf<F extends Field> = F extends { presence: 'always' } | { writesNull: true } ? null : never;

/** The same type as a single object type, so that errors and editors show the fields instead of an intersection. */
type Flat<Value> = Value extends infer Whole ? { [Key in keyof Whole]: Whole[Key] } : never;
