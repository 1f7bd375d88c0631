import {
  type Compilable,
  type RawBuilder,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import type { DatabaseTables, SqlType, ValueOf } from './database-tables.js';
import type pg from 'pg';

/**
 * A statement, compiled when its file is loaded and prepared once per connection under its name. `Values` are the types of its parameters
 * in order, `Row` is the type of a result row.
 */
export interface Statement<Row = unknown, Values extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  readonly text: string;
  /** Never set; carries the types. */
  readonly phantom?: { readonly row: Row; readonly values: Values };
}

/** The type of a statement's result rows. */
export type RowOf<S> = S extends Statement<infer Row> ? Row : never;

/** Builds queries. It has no connection, so queries can only be compiled. */
const builder = new Kysely<DatabaseTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Kysely with the types of the tables, for functions that build parts of queries. */
export type QueryBuilder = typeof builder;

type Types = readonly SqlType<unknown>[];
type ParametersOf<T extends Types> = { readonly [K in keyof T]: RawBuilder<ValueOf<T[K]>> };
type ValuesOf<T extends Types> = { readonly [K in keyof T]: ValueOf<T[K]> };

/**
 * Builds a statement with Kysely, which infers the type of its rows. `types` are those of the parameters $1, $2, ..., which `build`
 * receives as expressions that can be used any number of times. Throws if the query contains a value instead of a parameter.
 */
export function statement<Row, const T extends Types>(
  name: string,
  types: T,
  build: (db: QueryBuilder, parameters: ParametersOf<T>) => Compilable<Row>,
): Statement<Row, ValuesOf<T>> {
  const parameters = types.map((_, at) => sql.raw(`$${at + 1}`)) as unknown as ParametersOf<T>;
  const compiled = build(builder, parameters).compile();
  if (compiled.parameters.length > 0) throw new Error(`the statement ${name} contains a value where a parameter is required`);
  return { name, text: compiled.sql };
}

/** A statement written in SQL. `Row` and `Values` are asserted; the file with the text states the contract. */
export function sqlStatement<Row, Values extends readonly unknown[]>(name: string, text: string): Statement<Row, Values> {
  return { name, text };
}

/** Runs a statement, unprepared, on a session of the caller's. Rejects with pg's error. */
export async function runStatement<Row, Values extends readonly unknown[]>(
  client: pg.ClientBase,
  { text }: Statement<Row, Values>,
  values: NoInfer<Values>,
): Promise<Row[]> {
  return (await client.query(text, values as unknown as unknown[])).rows as Row[];
}
