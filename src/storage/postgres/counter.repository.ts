import type pg from 'pg';
import type { Database } from '../database/database.js';
import { toStorageError } from '../database/pg-errors.js';
import type { Statement } from '../database/statement.js';
import type { CounterState } from './counter-state.js';
import type { Lineage } from './lineage.js';
import type { LineageMark } from './lineage.repository.js';
import { MARK_COLUMNS } from './lineage.repository.js';

interface CounterRow extends pg.QueryResultRow, LineageMark {
  readonly segment: number;
  readonly segment_start: number;
}

const READ_COUNTER: Statement = {
  name: 'read_counter',
  text: `select ${MARK_COLUMNS}, segment, segment_start from revision_counter counter`,
};

/** The row that hands out revisions. Batches take them in their own statement (batch-statement.ts). */
export class CounterRepository {
  readonly #database: Database;
  readonly #lineage: Lineage;

  constructor(database: Database, lineage: Lineage) {
    this.#database = database;
    this.#lineage = lineage;
  }

  /** The newest committed revision. */
  async revision(): Promise<number> {
    return (await this.current()).value;
  }

  /** The counter's state, of the known lineage: where that does not go on, another one begins first. */
  async current(): Promise<CounterState> {
    const row = await this.#lineage.settled(
      () => this.#read(),
      (mark) => mark,
    );
    this.#lineage.note(row.newest);
    return { value: row.newest, lineage: row.lineage, segment: row.segment, segmentStart: row.segment_start };
  }

  /** Finds out where the database is, though what was read seems to be right. */
  lookAnew(): Promise<void> {
    return this.#lineage.renew();
  }

  async #read(): Promise<CounterRow> {
    const [row] = await this.#database.query<CounterRow>(READ_COUNTER);
    if (!row) throw toStorageError(new Error('the table revision_counter is empty'));
    return row;
  }
}
