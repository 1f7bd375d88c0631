/** What is needed of a database: a pool of `pg` is one. Statements run outside of transactions. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}
