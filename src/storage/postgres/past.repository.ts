import type pg from 'pg';
import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import type { StoredObject } from '../object-store.js';
import { compactedError, tooLargeRevisionError } from '../revision-errors.js';
import type { LineageMark } from './lineage.repository.js';
import { MARK_COLUMNS } from './lineage.repository.js';
import type { ObjectRow } from './object-row.js';
import { objectOf } from './object-row.js';
import type { LogPast } from './revision-log.repository.js';
import type { SqlRange } from './sql-range.js';

/**
 * Each path of the range $1, $2, $3 that is there now or changed after revision $5, with the first such change where there is one. $4: the
 * segment of that revision. One pass in the order of the paths: to join what changed with what is there takes the product of the two
 * where the tables have no statistics.
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
 * The objects as they were: those that did not change since, and of those that did the state before the first change. That stands in
 * the change's own row, or else in the row of the previous revision in the same segment. Each is looked up by its key.
 */
export const LIST_PAST: Statement = {
  name: 'list_past',
  text: `
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
};

export const COUNT_PAST: Statement = {
  name: 'count_past',
  text: `
    select ${MARK_COLUMNS}, compaction.revision as compacted,
           (select count(*) from (${FIRST_CHANGES}) first where kind is distinct from 'A') as objects
    from compaction cross join revision_counter counter`,
};

type PastRow = { readonly compacted: number } & LineageMark & (ObjectRow | { readonly path: null });

/** States of earlier revisions, put together from the newest ones and the log. Compacted when the log does not reach back that far. */
export class PastRepository {
  readonly #database: Database;
  readonly #past: LogPast;

  constructor(database: Database, past: LogPast) {
    this.#database = database;
    this.#past = past;
  }

  async list(range: SqlRange, revision: number, limit?: number): Promise<StoredObject[]> {
    const rows = await this.#read<PastRow>(LIST_PAST, range, revision, [limit ?? null]);
    const { newest = 0, compacted = 0 } = rows[0] ?? {};
    if (revision > newest) throw tooLargeRevisionError(BigInt(revision), newest);
    if (revision < compacted) throw compactedError(revision, compacted);
    return rows.flatMap((row) => (row.path === null ? [] : [objectOf(range.resource, row)]));
  }

  async count(range: SqlRange, revision: number): Promise<number> {
    const [row] = await this.#read<{ compacted: number; objects: number } & LineageMark>(COUNT_PAST, range, revision, []);
    const { compacted = 0, objects = 0 } = row ?? {};
    if (revision < compacted) throw compactedError(revision, compacted);
    return objects;
  }

  /** Compacted where the known lineage never gave the revision out. */
  async #read<Row extends LineageMark>(statement: Statement, range: SqlRange, revision: number, more: unknown[]): Promise<Row[]> {
    const { lineage, segments } = this.#past;
    const { resource, from, to } = range;
    const rows = await lineage.settled(
      () =>
        this.#database.queryHistory<Row & pg.QueryResultRow>(statement, [
          resource,
          from,
          to,
          segments.segmentOf(revision),
          revision,
          ...more,
        ]),
      ([row]) => row,
    );
    const gap = lineage.gaps.around(revision);
    if (gap) throw compactedError(revision, gap.began);
    return rows;
  }
}
