import type { Compilable, RawBuilder } from 'kysely';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import type { DatabaseTables } from './database-tables.js';
import type { SqlType, ValueOf } from './sql-type.js';

/**
 * A statement, compiled when its file is loaded, and prepared once per connection under its name. `Values` are the values of its
 * parameters in order, `Row` is what a row of its result has.
 */
export interface Statement<Row = unknown, Values extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  readonly text: string;
  /** Never set: it carries the types. */
  readonly phantom?: { readonly row: Row; readonly values: Values };
}

/** What a row of this statement's result has. */
export type RowOf<S> = S extends Statement<infer Row> ? Row : never;

/** Builds queries; it has no connection, so what it builds can only be compiled. */
const builder = new Kysely<DatabaseTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Kysely over the tables, for functions that build parts of queries. */
export type QueryBuilder = typeof builder;

type Types = readonly SqlType<unknown>[];
type ParametersOf<T extends Types> = { readonly [K in keyof T]: RawBuilder<ValueOf<T[K]>> };
type ValuesOf<T extends Types> = { readonly [K in keyof T]: ValueOf<T[K]> };

/**
 * A statement that Kysely builds: its rows are typed by the query itself. `types` are those of the parameters $1, $2, ..., which `build` is
 * given as expressions, each to be used as often as needed. Throws where a value was put into the query in place of a parameter.
 */
export function statement<Row, const T extends Types>(
  name: string,
  types: T,
  build: (db: QueryBuilder, parameters: ParametersOf<T>) => Compilable<Row>,
): Statement<Row, ValuesOf<T>> {
  const parameters = types.map((_, at) => sql.raw(`$${at + 1}`)) as unknown as ParametersOf<T>;
  const compiled = build(builder, parameters).compile();
  if (compiled.parameters.length > 0) throw new Error(`the statement ${name} has a value in the place of a parameter`);
  return { name, text: compiled.sql };
}

/** A statement that is written in SQL. `Row` and `Values` are what its text says; its file states the contract. */
export function sqlStatement<Row, Values extends readonly unknown[]>(name: string, text: string): Statement<Row, Values> {
  return { name, text };
}
