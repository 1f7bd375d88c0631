import { sqlStatement } from '../../database/statement/statement.js';
import type { Announcement } from '../../lapse-change.js';

/** Has lapses queued for the next day. */
export const PROLONG_ANNOUNCING = sqlStatement<never, readonly []>(
  'prolong_announcing',
  `update lease_announcing set until = now() + interval '1 day'`,
);

/** Counts those that are queued, at most $1, for the bound of `lease_announce`; writes the number only where it has changed. */
export const COUNT_ANNOUNCEMENTS = sqlStatement<{ queued: number }, readonly [limit: number]>(
  'count_announcements',
  `
    with counted as (select count(*)::integer as queued from (select from lease_announcement limit $1::integer) found),
      changed as (update lease_announcing a set queued = counted.queued from counted where a.queued <> counted.queued)
    select queued from counted`,
);

/** Claims at most $1 announcements that are due, for $2 seconds. `now()`, since an index is not searched for a volatile value. */
export const CLAIM_ANNOUNCEMENTS = sqlStatement<Announcement, readonly [limit: number, seconds: number]>(
  'claim_announcements',
  `
    update lease_announcement a set due = clock_timestamp() + $2::integer * interval '1 second', attempts = a.attempts + 1
    where a.id = any(array(select id from lease_announcement where due <= now() order by due limit $1 for update skip locked))
    returning a.id, a.term, a.attempts`,
);

export const DELETE_ANNOUNCEMENTS = sqlStatement<never, readonly [ids: Buffer]>(
  'delete_announcements',
  'delete from lease_announcement where id = any($1::text[])',
);

/** The next try is due in $2 milliseconds. */
export const POSTPONE_ANNOUNCEMENT = sqlStatement<never, readonly [id: string, delayMs: number]>(
  'postpone_announcement',
  `update lease_announcement set due = clock_timestamp() + $2::float8 * interval '1 millisecond' where id = $1`,
);

/** Drops announcements that have failed for a day. */
export const DROP_OLD_ANNOUNCEMENTS = sqlStatement<{ id: string }, readonly []>(
  'drop_old_announcements',
  `delete from lease_announcement where made < now() - interval '1 day' returning id`,
);
