import { sqlStatement } from '../statement/statement.js';

/** Any number that nobody else locks by. The other half of the key is the counter's table, and so the schema. */
const SERVING = 1_953_719_668;

/** Null where there is no such table: then nobody serves from it, and the lock is not taken. */
const COUNTER = `to_regclass('revision_counter')::oid`;

/** A server holds this lock in its sessions for writes and notifications, for commands to see. It ends with the session, and excludes nobody. */
export const SHOW_SERVING = sqlStatement<unknown, readonly []>(
  'show_serving',
  `select pg_advisory_lock_shared(${SERVING}, ${COUNTER}::integer)`,
);

/**
 * `count`: sessions of servers that work on the schema of this one, those on other schemas aside. `unclear`: sessions with the name of a
 * server's and no such lock, as a pooler in transaction mode has them.
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
