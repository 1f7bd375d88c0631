/**
 * The description of a wire type, written once per API type. Decoding, encoding, protobuf, patches, server-side apply, OpenAPI,
 * Table columns and the TypeScript type (`TypeOf`) are all derived from it, so that a field is described in exactly one place.
 */
export type SchemaType = ScalarType | MapType | ListType | RawType | StructType;

/** Go's type of a scalar: `time` is metav1.Time, `microTime` metav1.MicroTime. */
export type ScalarKind = 'string' | 'int32' | 'int64' | 'bool' | 'time' | 'microTime';

/** A string, number, boolean or timestamp. In memory: string, number, boolean; timestamps as their canonical wire text. */
export interface ScalarType<Kind extends ScalarKind = ScalarKind, Value extends string = string> {
  readonly kind: 'scalar';
  readonly scalar: Kind;
  /** Name of a Go string type where error texts show it, such as `v1.CoordinatedLeaseStrategy`; empty for plain ones. */
  readonly goType?: string;
  /** The values that OpenAPI lists and TypeScript allows. Decoders accept any string; the strategy's validation rejects others. */
  readonly values?: readonly Value[];
}

/** An object with free keys. In memory: a plain object, whose keys may be names of inherited properties (`__proto__` included). */
export interface MapType<Values extends SchemaType = SchemaType> {
  readonly kind: 'map';
  readonly values: Values;
}

/** How an array is merged by server-side apply (`x-kubernetes-list-type`). */
type ListSemantics = 'atomic' | 'set' | 'map';

/** An array. In memory: an array; null on the wire is absent in memory. */
export interface ListType<Items extends SchemaType = SchemaType> {
  readonly kind: 'list';
  readonly items: Items;
  readonly semantics: ListSemantics;
  /** Name of a Go list type where error texts show it, such as `v1.ExtraValue`. */
  readonly goType?: string;
  /** The key fields of `map` lists (`x-kubernetes-list-map-keys`). */
  readonly mapKeys?: readonly string[];
  /** Strategic merge patch: `merge` (by `patchMergeKey`, or as a union of primitives) or `replace`, the default. */
  readonly patchStrategy?: 'merge' | 'replace';
  readonly patchMergeKey?: string;
  /** OpenAPI names no list type (upstream's Go field has no marker). */
  readonly undeclared?: boolean;
  /** In protobuf the list is a message of its own, with the items in field 1 (`Verbs`, `ExtraValue`). */
  readonly protoWrapped?: boolean;
}

/** Any JSON value, kept as it is (FieldsV1, raw extensions). `Value` is the TypeScript type that its users may assume. */
export interface RawType<Value = unknown> {
  readonly kind: 'raw';
  /** OpenAPI name of the type, such as `io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1`. */
  readonly openapiName?: string;
  readonly description?: string;
  /** Never set: carries `Value` for `TypeOf`. */
  readonly valueType?: Value;
}

/**
 * When a field is written:
 * - `always`: present even if empty (zero value: "", 0, false, {} or null for lists);
 * - `omitEmpty`: a Go value with omitempty: dropped when zero (so "" and 0 are the same as absent);
 * - `optional`: a Go pointer with omitempty: dropped only when absent ("" and 0 are kept).
 */
export type Presence = 'always' | 'omitEmpty' | 'optional';

/** One field of a struct. */
export interface Field<Name extends string = string, Type extends SchemaType = SchemaType, FieldPresence extends Presence = Presence> {
  readonly name: Name;
  readonly type: Type;
  readonly presence: FieldPresence;
  /** Of an `optional` field (a Go pointer without omitempty): written as null where it is absent. */
  readonly writesNull?: boolean;
  /** Protobuf field number; 0 for types without a protobuf form. */
  readonly proto: number;
  /** Our own words; shown by OpenAPI, kubectl explain and Swagger UI. */
  readonly description: string;
  /** OpenAPI `required`. */
  readonly required?: boolean;
}

/** A Go struct: the type of an object or of a part of one. In memory: a plain object with the known fields only. */
export interface StructType<Fields extends readonly Field[] = readonly Field[]> {
  readonly kind: 'struct';
  /** Go's name of the type, as its JSON errors show it: `LeaseSpec`. */
  readonly goName: string;
  /** OpenAPI v2 definition name: `io.k8s.api.coordination.v1.LeaseSpec`. */
  readonly openapiName: string;
  readonly description: string;
  /** In wire order. */
  readonly fields: Fields;
  /** Server-side apply treats a value as one leaf (`x-kubernetes-map-type: atomic`). */
  readonly atomic?: boolean;
}
