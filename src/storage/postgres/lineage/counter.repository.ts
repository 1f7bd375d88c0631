import type { Database } from '../../database/database.js';
import { toStorageError } from '../../database/session/pg-errors.js';
import type { RowOf } from '../../database/statement/statement.js';
import { statement } from '../../database/statement/statement.js';
import { selectMark } from './lineage-mark.js';
import type { Lineage } from './lineage.js';

/** What a batch must find unchanged in the counter's row to be committed. */
export interface CounterState {
  /** The newest revision when this was read. */
  readonly value: number;
  /** The lineage that it belongs to. */
  readonly lineage: number;
  /** The segment of the log that is written to. */
  readonly segment: number;
  /** The newest revision when that segment began: it has the rows above. */
  readonly segmentStart: number;
}

const READ_COUNTER = statement('read_counter', [], (db) => selectMark(db).select(['counter.segment', 'counter.segment_start']));

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

  /** Whether the known lineage began after a revision was read. */
  hasBegunSince(revision: number): boolean {
    return this.#lineage.start > revision;
  }

  /** Finds out where the database is, though what was read seems to be right. */
  lookAnew(): Promise<void> {
    return this.#lineage.renew();
  }

  async #read(): Promise<RowOf<typeof READ_COUNTER>> {
    const [row] = await this.#database.query(READ_COUNTER, []);
    if (!row) throw toStorageError(new Error('the table revision_counter is empty'));
    return row;
  }
}
