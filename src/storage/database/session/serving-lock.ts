import { sqlStatement } from '../statement/statement.js';

/** An arbitrary number that identifies this lock. The other half of the key is the counter's table, and thereby the schema. */
const SERVING = 1_953_719_668;

/** Null if the table does not exist; nobody serves from it then, and the lock is not taken. */
const COUNTER = `to_regclass('revision_counter')::oid`;

/**
 * A server holds this shared lock in its sessions for writes and notifications, so that commands can see it. It excludes nobody and ends
 * with the session.
 */
export const SHOW_SERVING = sqlStatement<unknown, readonly []>(
  'show_serving',
  `select pg_advisory_lock_shared(${SERVING}, ${COUNTER}::integer)`,
);

/**
 * `count`: sessions of servers that use this session's schema. `unclear`: sessions named like a server's but without the lock, as behind a
 * pooler in transaction mode.
 */
export const COUNT_SERVING = sqlStatement<{ count: number; unclear: number }, readonly []>(
  'count_serving',
  `
  with serving as (
    select pid, objid from pg_locks
    where locktype = 'advisory' and mode = 'ShareLock' and classid = ${SERVING}
      and database = (select oid from pg_database where datname = current_database())
  )
  select (select count(distinct pid)::int from serving where objid = ${COUNTER}) as count,
         (select count(*)::int from pg_stat_activity
          where datname = current_database() and pid not in (select pid from serving)
            and application_name in ('coordination-apiserver writes', 'coordination-apiserver notifications')) as unclear`,
);
