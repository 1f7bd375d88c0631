import type { Database } from '../database/database.js';
import { type OtherRole, READ_ROLE } from '../database/session/connected-role.js';
import { text } from '../database/statement/database-tables.js';
import { statement } from '../database/statement/statement.js';

const GET_SECRET = statement('get_secret', [text], (db, [name]) => db.selectFrom('server_state').select('value').where('name', '=', name));
const CREATE_SECRET = statement('create_secret', [text, text], (db, [name, value]) =>
  db
    .insertInto('server_state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);
const REPLACE_SECRET = statement('replace_secret', [text, text, text], (db, [name, before, after]) =>
  db.updateTable('server_state').set({ value: after }).where('name', '=', name).where('value', '=', before).returning('name'),
);
const REMOVE_SECRET = statement('remove_secret', [text], (db, [name]) => db.deleteFrom('server_state').where('name', '=', name));

/** Secrets shared by the servers on one database. The caller encrypts them. Methods reject with StorageError Unavailable. */
export class SecretRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The value of this name, created by `make` if there is none. If several servers create one at once, all get the same. */
  async getOrCreate(name: string, make: () => Promise<string>): Promise<string> {
    const existing = await this.get(name);
    if (existing !== undefined) return existing;
    const value = await make();
    await this.#database.query(CREATE_SECRET, [name, value]);
    return (await this.get(name)) ?? value;
  }

  /** Replaces the value `before` by `after`; returns false if the value has changed. */
  async replace(name: string, before: string, after: string): Promise<boolean> {
    return (await this.#database.query(REPLACE_SECRET, [name, before, after])).length > 0;
  }

  /** Deletes the value, if there is one. */
  async remove(name: string): Promise<void> {
    await this.#database.query(REMOVE_SECRET, [name]);
  }

  /** The role of this connection, if another one owns the tables. */
  async otherRole(): Promise<OtherRole | undefined> {
    const [role] = await this.#database.query(READ_ROLE, [this.#database.schema]);
    return role && role.owner !== null ? { user: role.user, owner: role.owner } : undefined;
  }

  /** The value of this name; undefined if there is none. */
  async get(name: string): Promise<string | undefined> {
    const [row] = await this.#database.query(GET_SECRET, [name]);
    return row?.value;
  }
}
