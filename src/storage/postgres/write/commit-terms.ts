import { sqlStatement } from '../../database/statement/statement.js';
import type { ChangedTermRow } from '../terms/change-terms.js';
import type { BatchRow } from './batch-sql.js';
import { counterFor, outcomeWith } from './batch-sql.js';
import { BATCH_CHANGES } from './commit-batch.js';

/** A BatchRow, what `pg_notify` returns, and a change of a term: as many rows as there are changes, in any order, or one without. */
export type TermBatchRow = [
  ...row: BatchRow,
  notified: unknown,
  revision: ChangedTermRow['revision'],
  path: ChangedTermRow['path'],
  uid: ChangedTermRow['uid'],
  data: ChangedTermRow['data'],
  previousRevision: ChangedTermRow['previous_revision'],
  previous: ChangedTermRow['previous'],
];

/**
 * A batch in which some write begins or ends a term: commit-batch.ts, and in the same commit the changes of terms of the writes that took
 * effect. $21 has them, each with how many revisions before the last write its own is (`ago`); they take at most $20 revisions, which follow
 * those of the writes. Usually all writes take effect, and $21 is passed on as it is. What the function returns is joined as it is, since each
 * copy of the rows takes time with the counter locked.
 */
export const COMMIT_TERMS = sqlStatement<TermBatchRow, readonly unknown[]>(
  'commit_terms',
  `
    with ${counterFor('($1::bigint + $20::bigint)')}, ${BATCH_CHANGES}, term_change as (
      select case when (select count(*) from changed) = $1 then $21::jsonb else (
        select jsonb_agg(t.change) from jsonb_array_elements($21::jsonb) t(change)
        join changed on changed.revision = counter.base + $1 - (t.change ->> 'ago')::bigint
      ) end as changes
      from counter
    )${outcomeWith(
      ',\n           term.revision, term.path, term.uid, term.data, term.previous_revision, term.previous',
      `
    left join (
      term_change cross join lateral lease_change_terms(counter.base + $1, counter.segment, term_change.changes) term
    ) on true`,
    )}`,
);
