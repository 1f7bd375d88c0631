import type { Generated } from 'kysely';

/** A PostgreSQL type of columns and parameters. `T` is the JavaScript type of its values, which pg converts. */
export interface SqlType<T> {
  /** The name in information_schema.columns.data_type. */
  readonly name: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** Never set; carries the type. */
  readonly value?: T;
}

/** The JavaScript type of a type's values. */
export type ValueOf<Type> = Type extends SqlType<infer T> ? T : never;

function sqlType<T>(name: string): SqlType<T> {
  return { name, nullable: false, hasDefault: false };
}

/** The types that the tables and parameters have. */
export const text = sqlType<string>('text');
export const boolean = sqlType<boolean>('boolean');
export const smallint = sqlType<number>('smallint');
export const integer = sqlType<number>('integer');
/** A safe integer, as revisions, lineages and tokens are; database.ts configures pg to parse int8 as a number. */
export const bigint = sqlType<number>('bigint');
export const float = sqlType<number>('double precision');
export const timestamp = sqlType<Date>('timestamp with time zone');
/** A role, by its name. */
export const role = sqlType<string>('regrole');
/** A transaction, as pg_current_xact_id() names it. */
export const transactionId = sqlType<string>('xid8');
/** An array encoded by `binary-array.ts`, of any element type. For parameters only: no column has it. */
export const binaryArray = sqlType<Buffer>('ARRAY');

/** PostgreSQL's one-byte type `"char"`, restricted to the values that a column may have. */
export function char<Values extends string>(): SqlType<Values> {
  return sqlType<Values>('"char"');
}

/** The same type with null. */
export function nullable<T>(type: SqlType<T>): SqlType<T | null> {
  return { name: type.name, nullable: true, hasDefault: type.hasDefault };
}

/** The same type for a column that an insert may leave out. */
export function defaulted<T>(type: SqlType<T>): SqlType<Generated<T>> {
  return { name: type.name, nullable: type.nullable, hasDefault: true };
}
