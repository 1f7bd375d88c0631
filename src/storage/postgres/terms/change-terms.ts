import { sqlStatement } from '../../database/statement/statement.js';
import { LEASE_RESOURCE } from '../../term-change.js';
import { briefLocks } from '../lineage/brief-locks.js';
import { atHome } from '../lineage/lineage-mark.js';
import type { TermEventRow } from './term-event-row.js';

/** A row without a change where none took effect; no row where the counter was not as expected, and nothing was done. */
export type ChangedTermRow = { readonly [Column in keyof TermEventRow]: TermEventRow[Column] | null };

type Parameters = readonly [revisions: number, segment: number, channel: string, lineage: number, changes: string];

/** Nobody waits for the history: what finds a row locked is tried again later. */
export const LONGEST_LOCK_MS = 100;

/**
 * Changes of terms alone, as `lease_change_terms` takes them ($5): each takes effect only if its lease still has the revision
 * `lease_revision`, or does not exist where that is absent. $1 the most revisions that they take, $2 segment and $4 lineage of the counter,
 * $3 the channel that is notified.
 *
 * The counter is locked first, and the leases are read in their newest versions, since the snapshot is older than the wait for the counter.
 */
export const CHANGE_TERMS = sqlStatement<ChangedTermRow, Parameters>(
  'change_terms',
  `
    with counter as (
      update revision_counter c set value = value + $1::bigint
      where segment = $2::integer and lineage = $4::bigint and ${atHome('c')}
      returning value - $1::bigint as base, segment, ${briefLocks(LONGEST_LOCK_MS)}
    ), wanted as materialized (
      select change, (change ->> 'namespace') || '/' || (change ->> 'lease') as path, (change ->> 'lease_revision')::bigint as revision
      from counter cross join jsonb_array_elements($5::jsonb) c(change)
    ), lease as materialized (
      select o.path, o.revision from wanted w join objects o on o.resource = '${LEASE_RESOURCE}' and o.path = w.path for share of o
    ), term as materialized (
      select altered.* from counter
      cross join (
        select jsonb_agg(w.change) as changes from wanted w left join lease on lease.path = w.path
        where lease.revision is not distinct from w.revision
      ) checked
      cross join lateral lease_change_terms(counter.base, counter.segment, checked.changes) altered
      where checked.changes is not null
    )
    select term.*, case when term.path is not null and $3::text <> '' then pg_notify($3, '') end
    from counter left join term on true`,
);
