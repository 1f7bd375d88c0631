import type { Database } from '../../database/database.js';
import { sqlStatement } from '../../database/statement/statement.js';
import type { StoredObject } from '../../object-store.js';
import { type LineageMark, MARK_COLUMNS } from '../lineage/lineage-mark.js';
import type { LogContext } from '../log/revision-log.repository.js';
import { type OptionalObjectRow, optionalObjectOf } from '../rows/object-row.js';
import type { SqlRange } from './object.repository.js';

/** States at earlier revisions, composed of the newest states and the log. */
export class HistoricalStateRepository {
  readonly #database: Database;
  readonly #context: LogContext;

  constructor(database: Database, context: LogContext) {
    this.#database = database;
    this.#context = context;
  }

  /** The first objects of a range at a revision. StorageError Compacted, TooLargeRevision, TooManyReads, Unavailable. */
  async list(range: SqlRange, revision: number, limit?: number): Promise<StoredObject[]> {
    const rows = await this.#context.lineage.settledAt(revision, (flushes) =>
      this.#database.query(LIST_HISTORICAL_STATES, [...this.#span(range, revision), limit ?? null], { purpose: 'history', flushes }),
    );
    return rows.flatMap((row) => optionalObjectOf(range.resource, row) ?? []);
  }

  /** The number of objects in a range at a revision. Rejects as `list`. */
  async count(range: SqlRange, revision: number): Promise<number> {
    const [row] = await this.#context.lineage.settledAt(revision, (flushes) =>
      this.#database.query(COUNT_HISTORICAL_STATES, this.#span(range, revision), { purpose: 'history', flushes }),
    );
    return row?.objects ?? 0;
  }

  /** The first parameters of both statements. The segment may be known only once the lineage is. */
  #span({ resource, from, to }: SqlRange, revision: number) {
    return [resource, from, to, this.#context.segments.segmentOf(revision), revision] as const;
  }
}

/**
 * SQL: each path in the range $1 (resource), $2 (from), $3 (to) that exists now or changed after revision $5, with its first such change,
 * if any. $4: the segment of that revision. One pass in path order, because joining changed with existing paths costs the product of the
 * two if the tables have no statistics.
 */
const FIRST_CHANGES = `
      select distinct on (path) path, change, segment, kind
      from (
        select path, revision as change, segment, kind from revision_log
        where segment >= $4 and resource = $1 and path >= $2 and path < $3 and revision > $5
        union all
        select path, null, null, null from objects where resource = $1 and path >= $2 and path < $3
      ) either
      order by path, change`;

/**
 * The objects of a range as they were at revision $5: those that have not changed since, and for the others the state before their first
 * change, which is in the change's own row or else in the row of the previous revision in the same segment. Each is looked up by its key.
 * $6: the limit; null: none. There is always a row, so the mark is known; if there are no objects, its other columns are null.
 *
 * Written in SQL, because two lateral unions over rows of either table would be twice as long in Kysely, and hard to read without this
 * text.
 */
export const LIST_HISTORICAL_STATES = sqlStatement<
  LineageMark & OptionalObjectRow & { readonly compacted: number },
  readonly [resource: string, from: string, to: string, segment: number, revision: number, limit: number | null]
>(
  'list_historical_states',
  `
    with page as materialized (
      select path, change, segment from (${FIRST_CHANGES}) first where kind is distinct from 'A' order by path limit $6
    ), past as (
      select page.path, state.* from page
      cross join lateral (
        select o.uid, o.revision, o.terminating, o.data from objects o
        where page.change is null and o.resource = $1 and o.path = page.path
        union all
        select case when l.kind = 'D' then l.uid else coalesce(l.previous_uid, p.uid) end,
               l.previous_revision,
               case when l.kind = 'D' then l.terminating else coalesce(l.previous_terminating, p.terminating) end,
               case when l.kind = 'D' then l.data else coalesce(l.previous, p.data) end
        from revision_log l left join lateral (
          select p.uid, p.terminating, p.data from revision_log p
          where l.kind = 'M' and l.previous is null and p.segment = l.segment
            and p.resource = $1 and p.path = l.path and p.revision = l.previous_revision
          limit 1
        ) p on true
        where l.segment = page.segment and l.resource = $1 and l.path = page.path and l.revision = page.change
        limit 1
      ) state
    )
    select ${MARK_COLUMNS}, compaction.revision as compacted, past.*
    from revision_counter counter cross join compaction left join past on true
    order by past.path`,
);

/** The number of objects in a range at revision $5, by the same pass as `list-historical-states.ts` without reading states. One row. */
export const COUNT_HISTORICAL_STATES = sqlStatement<
  LineageMark & { readonly compacted: number; readonly objects: number },
  readonly [resource: string, from: string, to: string, segment: number, revision: number]
>(
  'count_historical_states',
  `
    select ${MARK_COLUMNS}, compaction.revision as compacted,
           (select count(*) from (${FIRST_CHANGES}) first where kind is distinct from 'A') as objects
    from compaction cross join revision_counter counter`,
);
