import type { Database } from '../../database/database.js';
import { statement } from '../../database/statement/statement.js';

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
