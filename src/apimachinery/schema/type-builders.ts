import type { Field, ListType, MapType, Presence, RawType, ScalarKind, ScalarType, SchemaType, StructType } from './struct-type.js';

/** Short constructors for descriptors. A scalar's `goType` is the name that type errors show, such as `types.UID`. */
export function scalar(kind: ScalarKind, goType?: string): ScalarType {
  return goType === undefined ? { kind: 'scalar', scalar: kind } : { kind: 'scalar', scalar: kind, goType };
}

export const string = (goType?: string): ScalarType => scalar('string', goType);
export const int32 = (): ScalarType => scalar('int32');
export const int64 = (): ScalarType => scalar('int64');
export const bool = (): ScalarType => scalar('bool');
export const time = (): ScalarType => scalar('time');
export const microTime = (): ScalarType => scalar('microTime');

export function map(values: SchemaType): MapType {
  return { kind: 'map', values };
}

/** An array; atomic unless told otherwise. */
export function list(items: SchemaType, merging: Partial<Omit<ListType, 'kind' | 'items'>> = {}): ListType {
  return { kind: 'list', items, semantics: 'atomic', ...merging };
}

export function raw(openapiName?: string, description?: string): RawType {
  return { kind: 'raw', openapiName, description };
}

export function struct(definition: Omit<StructType, 'kind'>): StructType {
  return { kind: 'struct', ...definition };
}

/** A field of the given presence: `field('name', 1, string(), 'omitEmpty', 'Its name.')`. */
export function field(name: string, proto: number, type: SchemaType, presence: Presence, description: string): Field {
  return { name, type, presence, proto, description };
}

/** The same, which OpenAPI lists as required. */
export function requiredField(name: string, proto: number, type: SchemaType, description: string): Field {
  return { name, type, presence: 'always', proto, description, required: true };
}

const KIND = 'The type of the object, in CamelCase, as the endpoint that takes it expects. It cannot be changed.';
const API_VERSION =
  'Group and version of the shape in which the object is written. The server converts between the versions that it knows.';

/** `kind` and `apiVersion`, the first two fields of every object; in protobuf they stand in the envelope. */
export function typeMetaFields(): Field[] {
  return [field('kind', 0, string(), 'omitEmpty', KIND), field('apiVersion', 0, string(), 'omitEmpty', API_VERSION)];
}
