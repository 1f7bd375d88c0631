import { sqlStatement } from '../../database/statement/statement.js';
import { briefLocks } from '../lineage/brief-locks.js';
import { atHome } from '../lineage/lineage-mark.js';
import type { ChangedTermRow } from './change-terms.js';
import { LONGEST_LOCK_MS } from './change-terms.js';

type Parameters = readonly [revisions: number, segment: number, channel: string, lineage: number, changes: string];

/**
 * Marks terms as lapsed or not, as `lease_lapse_terms` takes them ($5). $1 the most revisions that they take, $2 segment and $4 lineage of
 * the counter, $3 the channel that is notified. No row where the counter was not as expected.
 */
export const LAPSE_TERMS = sqlStatement<ChangedTermRow, Parameters>(
  'lapse_terms',
  `
    with counter as (
      update revision_counter c set value = value + $1::bigint
      where segment = $2::integer and lineage = $4::bigint and ${atHome('c')}
      returning value - $1::bigint as base, segment, ${briefLocks(LONGEST_LOCK_MS)}
    ), term as materialized (
      select altered.* from counter cross join lateral lease_lapse_terms(counter.base, counter.segment, $5::jsonb) altered
    )
    select term.*, case when term.path is not null and $3::text <> '' then pg_notify($3, '') end
    from counter left join term on true`,
);

/** The leases of a page of open terms that have lapsed, after a path ($1); $2 the most. */
export const LIST_LAPSED_TERMS = sqlStatement<{ namespace: string; lease: string; path: string }, readonly [after: string, limit: number]>(
  'list_lapsed_terms',
  'select namespace, lease, path from lease_term where segment = 0 and lapsed and path > $1 order by path limit $2',
);

/** The database's clock, in milliseconds. */
export const READ_CLOCK = sqlStatement<{ now: number }, readonly []>(
  'read_clock',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
);
