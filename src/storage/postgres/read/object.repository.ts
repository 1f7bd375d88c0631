import type { Database } from '../../database/database.js';
import { integer, nullable, text } from '../../database/statement/database-tables.js';
import { type Statement, statement } from '../../database/statement/statement.js';
import { objectPath, pathBounds } from '../../object-path.js';
import type { KeyRange, ObjectKey, StoredObject } from '../../object-store.js';
import type { Lineage } from '../lineage/lineage.js';
import { OBJECT_COLUMNS, optionalObjectOf } from '../rows/object-row.js';

/** One object by its key. The counter's row is always in the result, so an absent object has a revision too. */
export const GET_OBJECT = statement('get_object', [text, text], (db, [resource, path]) =>
  db
    .selectFrom('revision_counter as counter')
    .leftJoin('objects as o', (join) => join.on('o.resource', '=', resource).on('o.path', '=', path))
    .select(['counter.value as newest', 'o.path', 'o.uid', 'o.revision', 'o.terminating', 'o.data']),
);

/** The first objects of a range in path order. $4 is the limit; null: none. */
export const LIST_OBJECTS = statement('list_objects', [text, text, text, nullable(integer)], (db, [resource, from, to, limit]) =>
  db
    .selectFrom('revision_counter as counter')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('objects')
          .select(OBJECT_COLUMNS)
          .where('resource', '=', resource)
          .where('path', '>=', from)
          .where('path', '<', to)
          .orderBy('path')
          .limit(limit)
          .as('o'),
      (join) => join.onTrue(),
    )
    .select(['counter.value as newest', 'o.path', 'o.uid', 'o.revision', 'o.terminating', 'o.data'])
    .orderBy('o.path'),
);

/** The newest states. Methods reject with StorageError Unavailable. */
export class ObjectRepository {
  readonly #database: Database;
  readonly #lineage: Lineage;

  constructor(database: Database, lineage: Lineage) {
    this.#database = database;
    this.#lineage = lineage;
  }

  /** The object, if it exists, and the revision at which it was read. */
  async get(key: ObjectKey): Promise<{ object?: StoredObject; revision: number }> {
    const [row] = await this.#query(GET_OBJECT, [key.resource, objectPath(key)]);
    return { object: row && optionalObjectOf(key.resource, row), revision: row?.newest ?? 0 };
  }

  /** The first objects of a range, or all without a limit, and the revision of the snapshot. */
  async list(range: SqlRange, limit?: number): Promise<{ objects: StoredObject[]; revision: number }> {
    const rows = await this.#query(LIST_OBJECTS, [range.resource, range.from, range.to, limit ?? null]);
    const objects: StoredObject[] = [];
    for (const row of rows) {
      const object = optionalObjectOf(range.resource, row);
      if (object) objects.push(object);
    }
    return { objects, revision: rows[0]?.newest ?? 0 };
  }

  /** As Lineage.settled, of whatever lineage: what is not known to be on disk is read again with a flush. */
  async #query<Row extends { readonly newest: number }, Values extends readonly unknown[]>(
    wanted: Statement<Row, Values>,
    values: NoInfer<Values>,
  ): Promise<Row[]> {
    const seen = this.#lineage.newest;
    const rows = await this.#database.query(wanted, values);
    return (rows[0]?.newest ?? 0) <= seen ? rows : this.#database.query(wanted, values, { flushes: true });
  }
}

/** `from <= path < to`, with values that PostgreSQL can represent. */
export interface SqlRange {
  readonly resource: string;
  readonly from: string;
  readonly to: string;
}

/** Sorts after every path: the highest code point. */
const END = '\u{10ffff}\u{10ffff}';

/** The paths of a range, from its first one or from `start`, relative to the range (ListOptions.start). */
export function sqlRange(range: KeyRange, start?: string): SqlRange {
  const { from, to } = pathBounds(range, start);
  return { resource: range.resource, from: withoutNul(from), to: to === undefined ? END : withoutNul(to) };
}

/** The paths of the range after this one. */
export function behind(range: SqlRange, path: string): SqlRange {
  return { ...range, from: withoutNul(`${path}\0`) };
}

/** PostgreSQL's text cannot contain NUL, and paths do not: they compare to `a\0...` as they do to `a\u0001`. */
function withoutNul(bound: string): string {
  const nul = bound.indexOf('\0');
  return nul < 0 ? bound : `${bound.slice(0, nul)}\u0001`;
}
