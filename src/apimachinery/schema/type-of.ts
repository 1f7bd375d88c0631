import type { Field, ListType, MapType, RawType, ScalarType, SchemaType, StructType } from './struct-type.js';

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
