import type pg from 'pg';
import type { Statement } from './statement.js';

/** Runs a statement, unprepared, on a session of the caller's. Rejects with pg's error. */
export async function runStatement<Row, Values extends readonly unknown[]>(
  client: pg.ClientBase,
  { text }: Statement<Row, Values>,
  values: NoInfer<Values>,
): Promise<Row[]> {
  return (await client.query(text, values as unknown as unknown[])).rows as Row[];
}
