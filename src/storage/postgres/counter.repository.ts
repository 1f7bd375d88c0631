import type pg from 'pg';
import type { Database } from '../database/database.js';
import { toStorageError } from '../database/pg-errors.js';
import type { Statement } from '../database/statement.js';
import type { CounterState } from './counter-state.js';

/** The timeline of the write-ahead log that the server writes: a promotion or a recovery begins a new one. */
export const CURRENT_TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';

/** Above any number of revisions that can get lost in a failover or lie between a backup and its restore. */
export const REVISION_JUMP = 1_000_000_000;

interface CounterRow extends pg.QueryResultRow {
  readonly value: number;
  readonly segment: number;
  readonly segment_start: number;
  readonly timeline: string;
  readonly current_timeline: string;
  readonly system_identifier: string;
}

const READ_COUNTER: Statement = {
  name: 'read_counter',
  text: `
    select value, segment, segment_start, timeline, ${CURRENT_TIMELINE} as current_timeline, system_identifier
    from revision_counter`,
};

const READ_REVISION: Statement = { name: 'read_revision', text: 'select value from revision_counter' };

/** Takes part only where nobody else has made the jump; the counter is locked first, as everywhere. */
const JUMP: Statement = {
  name: 'jump_counter',
  text: `
    with counter as (
      update revision_counter set value = value + ${REVISION_JUMP}, timeline = $3, system_identifier = $4
      where timeline = $1 and system_identifier = $2
      returning value
    )
    update compaction set revision = counter.value from counter`,
};

/** The row that hands out revisions. Batches take them in their own statement (batch-statement.ts). */
export class CounterRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The newest committed revision. */
  async revision(): Promise<number> {
    const [row] = await this.#database.query<{ value: number }>(READ_REVISION);
    if (!row) throw toStorageError(new Error('the table revision_counter is empty'));
    return row.value;
  }

  /**
   * The counter's state, where it is valid. After a failover to a replica that may lack acknowledged writes, or a restore, it jumps ahead
   * first and marks everything before as compacted, so that no revision is ever used twice and every cache loads anew.
   */
  async current(): Promise<CounterState> {
    for (;;) {
      const [row] = await this.#database.query<CounterRow>(READ_COUNTER);
      if (!row) throw toStorageError(new Error('the table revision_counter is empty'));
      const identifier = this.#database.systemIdentifier ?? row.system_identifier;
      if (row.timeline === row.current_timeline && row.system_identifier === identifier) {
        return { value: row.value, segment: row.segment, segmentStart: row.segment_start };
      }
      await this.#database.query(JUMP, [row.timeline, row.system_identifier, row.current_timeline, identifier]);
    }
  }
}
