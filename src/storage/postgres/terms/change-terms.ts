import { sqlStatement } from '../../database/statement/statement.js';
import { atHome, briefLocks } from '../lineage/lineage-mark.js';

/** How many revisions a change may take: one for the term that ends, and one for the term that begins. */
export const REVISIONS_OF_A_CHANGE = 2;

type Parameters = readonly [revisions: number, segment: number, channel: string, lineage: number, changes: string];

/** Nobody waits for the history: what finds a row locked is tried again later. */
const LONGEST_LOCK_MS = 100;

/**
 * Changes of terms alone, as `lease_change_terms` takes them ($5). $1 the most revisions that they take, $2 segment and $4 lineage of the
 * counter, $3 the channel that is notified.
 *
 * Answers the paths of the terms that were changed. A row without one where none was; no row where the counter was not as expected, and
 * nothing was done.
 *
 * The function reads leases and terms after the counter is locked, with a snapshot of its own: that of the statement is older than the wait.
 */
export const CHANGE_TERMS = sqlStatement<{ path: string | null }, Parameters>(
  'change_terms',
  `
    with counter as (
      update revision_counter c set value = value + $1::bigint
      where segment = $2::integer and lineage = $4::bigint and ${atHome('c')}
      returning value - $1::bigint as base, segment, ${briefLocks(LONGEST_LOCK_MS)}
    ), term as materialized (
      select altered.* from counter cross join lateral lease_change_terms(counter.base, counter.segment, $5::jsonb) altered
    )
    select term.path, case when term.path is not null and $3::text <> '' then pg_notify($3, '') end
    from counter left join term on true`,
);
