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

/** Which objects of the range $1, $2, $3 changed after revision $5, and by which change first. $4: the segment of that revision. */
const CHANGED = `
    changed as materialized (
      select path, min(revision) as revision from revision_log
      where segment >= $4 and resource = $1 and path >= $2 and path < $3 and revision > $5
      group by path
    )`;

/**
 * The objects as they were: those that did not change since, and of those that did the state before the first change. That stands in
 * the change's own row, or else in the row of the previous revision in the same segment.
 */
export const LIST_PAST: Statement = {
  name: 'list_past',
  text: `
    with ${CHANGED}, past as (
      select o.path, o.uid, o.revision, o.terminating, o.data from objects o
      where o.resource = $1 and o.path >= $2 and o.path < $3 and not exists (select from changed where changed.path = o.path)
      union all
      select l.path,
             case when l.kind = 'D' then l.uid else coalesce(l.previous_uid, p.uid) end,
             l.previous_revision,
             case when l.kind = 'D' then l.terminating else coalesce(l.previous_terminating, p.terminating) end,
             case when l.kind = 'D' then l.data else coalesce(l.previous, p.data) end
      from changed
      join revision_log l on l.segment >= $4 and l.resource = $1 and l.path = changed.path and l.revision = changed.revision
      left join revision_log p on l.kind = 'M' and l.previous is null and p.segment = l.segment
                              and p.resource = $1 and p.path = l.path and p.revision = l.previous_revision
      where l.kind <> 'A'
    )
    select ${MARK_COLUMNS}, compaction.revision as compacted, past.*
    from revision_counter counter cross join compaction
    left join lateral (select * from past order by path limit $6) past on true
    order by past.path`,
};

const COUNT_PAST: Statement = {
  name: 'count_past',
  text: `
    with ${CHANGED}
    select ${MARK_COLUMNS}, compaction.revision as compacted,
           (select count(*) from objects o
            where o.resource = $1 and o.path >= $2 and o.path < $3 and not exists (select from changed where changed.path = o.path))
           +
           (select count(*) from changed
            join revision_log l on l.segment >= $4 and l.resource = $1 and l.path = changed.path and l.revision = changed.revision
            where l.kind <> 'A') as objects
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
      () => this.#database.query<Row & pg.QueryResultRow>(statement, [resource, from, to, segments.segmentOf(revision), revision, ...more]),
      ([row]) => row,
    );
    const gap = lineage.gaps.around(revision);
    if (gap) throw compactedError(revision, gap.began);
    return rows;
  }
}
