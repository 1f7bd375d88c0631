import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';

const READ_COMPACTED: Statement = { name: 'read_compacted', text: 'select revision from compaction' };

/** The row that says how far back the log reaches. The compactor moves it forward. */
export class CompactionRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The oldest revision whose state can be had, and after which the changes can. */
  async revision(): Promise<number> {
    const [row] = await this.#database.query<{ revision: number }>(READ_COMPACTED);
    return row?.revision ?? 0;
  }
}
