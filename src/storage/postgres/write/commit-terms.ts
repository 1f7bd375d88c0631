import { sqlStatement } from '../../database/statement/statement.js';
import type { TermEventRow } from '../terms/term-event-row.js';
import type { BatchRow } from './batch-sql.js';
import { counterFor, outcomeWith } from './batch-sql.js';
import { BATCH_CHANGES } from './commit-batch.js';

/** A BatchRow, what `pg_notify` returns, and the changes of terms. */
export type TermBatchRow = [...row: BatchRow, notified: unknown, terms: TermEventRow[] | null];

/**
 * A batch in which some write begins or ends a term: commit-batch.ts, and in the same commit the changes of terms of the writes that took
 * effect. $21 has them, each with the number `ord` of its write; they take at most $20 revisions, which follow those of the writes.
 */
export const COMMIT_TERMS = sqlStatement<TermBatchRow, readonly unknown[]>(
  'commit_terms',
  `
    with ${counterFor('($1::bigint + $20::bigint)')}, ${BATCH_CHANGES}, term_change as (
      select jsonb_agg(t.change || jsonb_build_object('token', counter.base + (t.change ->> 'ord')::bigint)) as changes
      from counter cross join jsonb_array_elements($21::jsonb) t(change)
      join changed on changed.revision = counter.base + (t.change ->> 'ord')::bigint
    ), term as materialized (
      select altered.* from counter cross join term_change
      cross join lateral lease_change_terms(counter.base + $1, counter.segment, term_change.changes) altered
      where term_change.changes is not null
    )${outcomeWith(',\n           (select json_agg(term order by term.revision) from term)')}`,
);
