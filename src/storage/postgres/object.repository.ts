import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import { objectPath } from '../object-path.js';
import type { ObjectKey, StoredObject } from '../object-store.js';
import type { ObjectRow } from './object-row.js';
import { objectOf } from './object-row.js';
import type { SqlRange } from './sql-range.js';

/** The counter's row always comes, so the revision at which an object is absent does too. */
export const GET_OBJECT: Statement = {
  name: 'get_object',
  text: `
    select counter.value as newest, o.path, o.uid, o.revision, o.terminating, o.data
    from revision_counter counter left join objects o on o.resource = $1 and o.path = $2`,
};

export const LIST_OBJECTS: Statement = {
  name: 'list_objects',
  text: `
    select counter.value as newest, o.*
    from revision_counter counter left join lateral (
      select path, uid, revision, terminating, data from objects
      where resource = $1 and path >= $2 and path < $3
      order by path limit $4
    ) o on true
    order by o.path`,
};

type NewestRow = { readonly newest: number } & (ObjectRow | { readonly path: null });

/** The newest states. */
export class ObjectRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(key: ObjectKey): Promise<{ object?: StoredObject; revision: number }> {
    const rows = await this.#database.query<NewestRow>(GET_OBJECT, [key.resource, objectPath(key)]);
    const row = rows[0];
    return { object: row && row.path !== null ? objectOf(key.resource, row) : undefined, revision: row?.newest ?? 0 };
  }

  /** The first objects of a range, all of them without a limit, and the revision of the snapshot. */
  async list(range: SqlRange, limit?: number): Promise<{ objects: StoredObject[]; revision: number }> {
    const rows = await this.#database.query<NewestRow>(LIST_OBJECTS, [range.resource, range.from, range.to, limit ?? null]);
    const objects: StoredObject[] = [];
    for (const row of rows) if (row.path !== null) objects.push(objectOf(range.resource, row));
    return { objects, revision: rows[0]?.newest ?? 0 };
  }
}
