import { atHome, briefLocks } from '../lineage/lineage-mark.js';

/** How long a batch that has the counter waits for the lock of a row or a table, in milliseconds: everybody's writes wait with it. */
const LONGEST_LOCK_MS = 200;

/**
 * The parts of the two statements of a batch (commit-batch.ts). Both have the parameters $1 number of writes, $2
 * segment, $3 channel ('' for no notification), $4 tokens, $5 the shortest time that a write may wait for the counter and $6 that of each,
 * in milliseconds, then an array for each of COLUMNS, and $16 lineage. batch-statement.ts provides their values.
 *
 * `waited` is measured once the lock of the counter is held; statement_timestamp() is when the statement arrived.
 *
 * Written in SQL, because each is one text of data-modifying CTEs that read each other's rows, with plans that depend on its exact form.
 */
export const COUNTER = counterFor('$1::bigint');

/** Takes as many revisions as `count` says. */
export function counterFor(count: string): string {
  return `counter as (
      update revision_counter c set value = value + ${count}
      where segment = $2::integer and lineage = $16::bigint and ${atHome('c')}
      returning value - ${count} as base, segment,
                extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000 as waited,
                ${briefLocks(LONGEST_LOCK_MS)}
    )`;
}

/** Whether a write is still within its time limit. If all are, only the first condition is evaluated. */
export const IN_TIME = '(counter.waited < $5::float8 or counter.waited < ($6::bigint[])[op.ord])';

/** The arrays of a batch. */
export const VALUES =
  '$7::text[], $8::text[], $9::text[], $10::boolean[], $11::text[], $12::bigint[], $13::text[], $14::boolean[], $15::text[]';
/** Names of the arrays, as columns of `op`. */
export const COLUMNS = 'resource, path, uid, terminating, data, expected, previous_uid, previous_terminating, previous';

/** Updates whose object still has the expected revision. */
export const MODIFIED = `modified as (
      update objects o set uid = op.uid, revision = counter.base + op.ord, terminating = op.terminating, data = op.data
      from counter, op
      where op.kind = 'M' and o.resource = op.resource and o.path = op.path and o.revision = op.expected and ${IN_TIME}
      returning o.resource, o.path, o.uid, o.revision, o.terminating, o.data,
                op.expected, op.previous_uid, op.previous_terminating, op.previous
    )`;

/** `changes` has the kind, the columns of `modified`, and a row for each write that took effect. */
export const logged = (changes: string): string => `changed as (
      insert into revision_log (segment, kind, resource, path, uid, revision, terminating, data,
                                previous_revision, previous_uid, previous_terminating, previous, token)
      select counter.segment, change.*, ($4::bigint[])[change.revision - counter.base] from counter, (${changes}) change
      returning revision
    )`;

/**
 * The result of a batch: the newest revision before it, and null if every write took effect, or else the revisions of those that did. There
 * is no row if the counter was not in the expected state; nothing was done then. Read as an array.
 */
export type BatchRow = [base: number, revisions: string[] | null];

/** The final select, of one BatchRow; sends a notification if anything took effect. */
export const OUTCOME = outcomeWith('', '');

/** The same with further columns, of what is joined: as many rows as that has. */
export function outcomeWith(columns: string, joined: string): string {
  return `
    select counter.base, result.revisions, result.notified${columns}
    from counter, (
      select case when count(*) < $1 then coalesce(array_agg(revision), '{}') end as revisions,
             case when count(*) > 0 and $3::text <> '' then pg_notify($3, '') end as notified
      from changed
    ) result${joined}`;
}
