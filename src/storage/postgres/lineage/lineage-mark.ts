import { sql } from 'kysely';
import type { QueryBuilder } from '../../database/statement/statement.js';

/** What a statement reports about the lineage along with its result, so that `Lineage` can decide whether the result is valid. */
export interface LineageMark {
  /** The newest revision. */
  readonly newest: number;
  readonly lineage: number;
  /** Whether it comes from the place where this lineage is written. */
  readonly at_home: boolean;
}

/**
 * SQL: whether the counter's row is where its lineage started, that is, in the same files and under the same run of PostgreSQL. No copy,
 * restored backup, promoted standby or restarted server has both, and the check needs neither a table lookup nor a privilege. `alias` is
 * the counter's alias.
 */
export const atHome = (alias: string): string =>
  `(${alias}.server_started = pg_postmaster_start_time() and ${alias}.counter_file = pg_relation_filepath(${alias}.tableoid))`;

/** The columns of a LineageMark, for statements written in SQL whose alias for the counter is `counter`. */
export const MARK_COLUMNS = `counter.value as newest, counter.lineage, ${atHome('counter')} as at_home`;

/** The start of a Kysely query that selects a LineageMark from the counter. */
export function selectMark(db: QueryBuilder) {
  return db
    .selectFrom('revision_counter as counter')
    .select(['counter.value as newest', 'counter.lineage', sql<boolean>`${sql.raw(atHome('counter'))}`.as('at_home')]);
}

/** Like `selectMark`, with the compacted revision as another column. */
export function selectHead(db: QueryBuilder) {
  return selectMark(db).crossJoin('compaction').select('compaction.revision as compacted');
}

/**
 * SQL, evaluated as the counter is locked: from then on, the transaction waits for any other lock this long at most, since all writes of all
 * servers wait with it. How long it waits for the counter itself is left to the session. A setting of the transaction, so that it also holds
 * behind a pooler; it costs about a microsecond.
 */
export function briefLocks(ms: number): string {
  return `set_config('lock_timeout', '${ms}ms', true) as lock_timeout`;
}

/** The segments that this process has seen; used to exclude partitions that cannot contain a revision. */
export class KnownSegments {
  /** Ascending. */
  #starts: { segment: number; start: number }[] = [];

  /** `start`: the newest revision when the segment started. Ignored unless the segment is newer than all known ones. */
  note(segment: number, start: number): void {
    const newest = this.#starts.at(-1);
    if (newest && newest.segment >= segment) return;
    this.#starts.push({ segment, start });
    if (this.#starts.length > 100) this.#starts = this.#starts.slice(-50);
  }

  /** Clears the segments: another copy of the database may have rotated differently. */
  forget(): void {
    this.#starts = [];
  }

  /** A segment such that no row after this revision is in an earlier one; 0 if unknown. */
  segmentOf(revision: number): number {
    return this.#starts.findLast(({ start }) => start <= revision)?.segment ?? 0;
  }
}
