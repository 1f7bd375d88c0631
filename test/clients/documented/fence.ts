import pg from 'pg';
import { type TestDatabase, createEmptyDatabase } from '../../support/test-database.js';
import { sqlOf } from './documented-program.js';

const only = (marker: string): string => {
  const [found, another] = sqlOf('sql.md').filter((sql) => sql.startsWith(marker));
  if (found === undefined || another !== undefined) throw new Error(`docs/sql.md must have exactly one block that begins with "${marker}"`);
  return found;
};

/** A database with the tables and the statement of docs/sql.md. */
export class Fence {
  readonly #database: TestDatabase;
  readonly #client: pg.Client;

  private constructor(database: TestDatabase) {
    this.#database = database;
    this.#client = new pg.Client(database.url);
  }

  static async build(): Promise<Fence> {
    const fence = new Fence(await createEmptyDatabase());
    await fence.#client.connect();
    await fence.#client.query(only('create table fence'));
    await fence.#client.query(`create table account (name text primary key, balance int); insert into account values ('a', 0)`);
    return fence;
  }

  /** Whether a write with this token took effect. */
  async write(token: string): Promise<boolean> {
    const { rowCount } = await this.#client.query(only('with fence as'), ['a', token, 1]);
    return rowCount === 1;
  }

  async close(): Promise<void> {
    await this.#client.end();
    await this.#database.drop();
  }
}
