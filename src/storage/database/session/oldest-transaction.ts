import { sqlStatement } from '../statement/statement.js';

const KEEPS_ROWS = '(backend_xmin is not null or backend_xid is not null) and pid <> pg_backend_pid()';

/**
 * Seconds since the start of the oldest transaction in another session that keeps old row versions alive: one with a snapshot, or with a
 * transaction id, which it has from its first write to its end. Sessions of other roles are visible only to members of pg_read_all_stats.
 */
export const OLDEST_TRANSACTION = sqlStatement<{ seconds: number }, readonly []>(
  'oldest_transaction',
  `
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as seconds from pg_stat_activity
  where ${KEEPS_ROWS}`,
);

/** The process and the role of that session, as an expression of SQL; null without one. */
export const WHOSE_OLDEST_TRANSACTION = `
  (select format('process %s of the role %s, %s', pid, usename, state) from pg_stat_activity where ${KEEPS_ROWS} order by xact_start limit 1)`;
