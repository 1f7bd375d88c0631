import type { Field, ListType, MapType, Presence, RawType, ScalarKind, ScalarType, SchemaType, StructType } from './struct-type.js';

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
