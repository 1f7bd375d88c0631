import type { Kysely } from 'kysely';
import type { DatabaseTables } from '../database/database-tables.js';
import { toStorageError } from '../database/pg-errors.js';

/** What the servers on one database share. Encryption is the caller's business. */
export class SecretRepository {
  readonly #db: Kysely<DatabaseTables>;

  constructor(db: Kysely<DatabaseTables>) {
    this.#db = db;
  }

  /** The value of this name; `make` makes it where there is none. Of several servers that make one at once, all get the same. */
  async getOrCreate(name: string, make: () => Promise<string>): Promise<string> {
    const existing = await this.get(name);
    if (existing !== undefined) return existing;
    const value = await make();
    try {
      await this.#db
        .insertInto('server_state')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    } catch (error) {
      throw toStorageError(error);
    }
    return (await this.get(name)) ?? value;
  }

  /** Puts another value in the place of one, unless that has changed meanwhile; whether it did. */
  async replace(name: string, before: string, after: string): Promise<boolean> {
    try {
      const update = this.#db.updateTable('server_state').set({ value: after }).where('name', '=', name).where('value', '=', before);
      return (await update.executeTakeFirst()).numUpdatedRows > 0n;
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#db.deleteFrom('server_state').where('name', '=', name).execute();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async get(name: string): Promise<string | undefined> {
    try {
      const row = await this.#db.selectFrom('server_state').select('value').where('name', '=', name).executeTakeFirst();
      return row?.value;
    } catch (error) {
      throw toStorageError(error);
    }
  }
}
