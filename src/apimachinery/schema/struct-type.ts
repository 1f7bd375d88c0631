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
export interface RawType<Value = unknown> {
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
