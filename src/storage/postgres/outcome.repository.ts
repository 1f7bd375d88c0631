import { bigintArray, textArray } from '../database/binary-array.js';
import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import type { CounterState } from './counter-state.js';
import type { PendingWrite } from './pending-write.js';
import { objectPath } from '../object-path.js';

const READ_KEYS: Statement = {
  name: 'read_write_targets',
  text: `
    select op.ord::integer, o.revision, c.path is not null as container_found, c.terminating as container_terminating
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
           as op(resource, path, container_resource, container_path, ord)
    left join objects o on o.resource = op.resource and o.path = op.path
    left join objects c on c.resource = op.container_resource and c.path = op.container_path`,
};

/**
 * A commit that was cut off while it waited for a synchronous standby is there, but may be nowhere else. So this is a transaction with a
 * commit of its own, which waits for the standby as that one would have: what it answers has outlasted the primary's loss. The lock is what
 * it has to commit; it keeps nobody waiting.
 */
const FIND_APPLIED: Statement = {
  name: 'find_applied_writes',
  text: `
    select op.ord::integer, l.revision as applied, o.revision, compaction.revision as compacted
    from compaction cross join unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as op(resource, path, token, ord)
    left join objects o on o.resource = op.resource and o.path = op.path
    left join revision_log l on l.segment >= $4 and l.resource = op.resource and l.path = op.path and l.revision > $5
                            and l.token = op.token
    for key share of compaction`,
};

/** What stands where a write wanted to be. */
export interface WriteTarget {
  readonly revision: number | null;
  readonly container_found: boolean;
  readonly container_terminating: boolean | null;
}

export interface FoundOutcome {
  /** The revision with which the write took effect, where it did. */
  readonly applied: number | null;
  /** The newest revision of the object, null where there is none. */
  readonly revision: number | null;
  readonly compacted: number;
}

type OutcomeRow = [ord: number, applied: number | null, revision: number | null, compacted: number];

/** Reads about writes afterwards: why one was refused, and whether one of unknown outcome took effect. In the order of the writes. */
export class OutcomeRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async targets(writes: readonly PendingWrite[]): Promise<WriteTarget[]> {
    const rows = await this.#database.query<WriteTarget & { ord: number }>(READ_KEYS, [
      textArray(writes.map((write) => write.key.resource)),
      textArray(writes.map((write) => write.path)),
      textArray(writes.map(({ container }) => container?.resource ?? null)),
      textArray(writes.map(({ container }) => (container ? objectPath(container) : null))),
    ]);
    return inOrder(rows);
  }

  /** `since`: the counter before the writes were sent for the first time. */
  async outcomes(writes: readonly PendingWrite[], since: CounterState): Promise<FoundOutcome[]> {
    const rows = await this.#database.queryDurably<OutcomeRow>(FIND_APPLIED, [
      textArray(writes.map((write) => write.key.resource)),
      textArray(writes.map((write) => write.path)),
      bigintArray(writes.map((write) => write.token)),
      since.segment,
      since.value,
    ]);
    return inOrder(rows.map(([ord, applied, revision, compacted]) => ({ ord, applied, revision, compacted })));
  }
}

function inOrder<Row extends { ord: number }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => a.ord - b.ord);
}
