import { sqlStatement } from '../statement/statement.js';

/**
 * Seconds since the oldest transaction of another session began that keeps old versions of rows: one with a snapshot, or with a transaction id
 * of its own, which it has from its first write to its end, with or without a snapshot. Sessions of other roles are seen by members of
 * pg_read_all_stats alone.
 */
export const OLDEST_TRANSACTION = sqlStatement<{ seconds: number }, readonly []>(
  'oldest_transaction',
  `
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as seconds from pg_stat_activity
  where (backend_xmin is not null or backend_xid is not null) and pid <> pg_backend_pid()`,
);
