import type { Database } from '../../database/database.js';
import { DatabaseStartError } from '../../database/session/database-start-error.js';
import { toStorageError } from '../../database/session/pg-errors.js';
import { type RowOf, statement } from '../../database/statement/statement.js';
import { selectMark } from './lineage-mark.js';
import type { Lineage } from './lineage.js';

/** The state that a batch must find unchanged in the counter's row to be committed. */
export interface CounterState {
  /** The newest revision at the time of the read. */
  readonly value: number;
  /** The lineage of that revision. */
  readonly lineage: number;
  /** The segment of the log that is currently written to. */
  readonly segment: number;
  /** The newest revision when that segment started; its rows have higher ones. */
  readonly segmentStart: number;
}

const READ_COUNTER = statement('read_counter', [], (db) => selectMark(db).select(['counter.segment', 'counter.segment_start']));

/** The row that assigns revisions. Batches take them in their own statement (batch-statement.ts). */
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

  /** The counter's state within the known lineage. If that does not continue, a new one is started first. */
  async current(): Promise<CounterState> {
    const row = await this.#lineage.settled(
      (flushes) => this.#read(flushes),
      (mark) => mark,
    );
    this.#lineage.note(row.newest);
    return { value: row.newest, lineage: row.lineage, segment: row.segment, segmentStart: row.segment_start };
  }

  /** Resolves if the database answers. */
  async ping(): Promise<void> {
    await this.#read(false);
  }

  /** The same before the lineage is known: it is looked up while a connection for reads is opened. */
  async first(): Promise<CounterState> {
    const [state] = await Promise.all([this.current(), this.#lineage.renew()]);
    return state;
  }

  /** Whether the known lineage started after a revision was read. */
  hasBegunSince(revision: number): boolean {
    return this.#lineage.start > revision;
  }

  /** Looks up the place of the database again, although the last read seemed right. */
  lookAnew(): Promise<void> {
    return this.#lineage.renew();
  }

  async #read(flushes: boolean): Promise<RowOf<typeof READ_COUNTER>> {
    const [row] = await this.#database.query(READ_COUNTER, [], { flushes });
    if (!row) throw toStorageError(new DatabaseStartError('the table revision_counter is empty: restore a backup'));
    return row;
  }
}
