import type { Database } from '../../database/database.js';
import { statement, sqlStatement } from '../../database/statement/statement.js';

/** The revision up to which changes are compacted. One row. */
export const READ_COMPACTED = statement('read_compacted', [], (db) => db.selectFrom('compaction').select('revision'));

/** The row that says how far back the log reaches, which the compactor moves forward. */
export class CompactionRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The oldest revision whose state can still be read, and after which all changes can. StorageError Unavailable. */
  async revision(): Promise<number> {
    const [row] = await this.#database.query(READ_COMPACTED, []);
    return row?.revision ?? 0;
  }
}

/** Number of partitions attached after the one that is written to. One row. Written in SQL, because it reads PostgreSQL's catalogue. */
export const COUNT_SPARE_SEGMENTS = sqlStatement<{ spares: number }, readonly []>(
  'spare_segments',
  `
    select count(*)::int as spares
    from revision_counter counter, pg_inherits child
    where child.inhparent = 'revision_log'::regclass
      and not child.inhdetachpending
      and substring(child.inhrelid::regclass::text from '[0-9]+$')::int > counter.segment`,
);
