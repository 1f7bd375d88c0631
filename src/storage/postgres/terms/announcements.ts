import type { Database } from '../../database/database.js';
import { textArray } from '../../database/statement/binary-array.js';
import { sqlStatement } from '../../database/statement/statement.js';
import type { Announcement } from '../../term-change.js';

/** Has lapses queued for the next day. */
const PROLONG_ANNOUNCING = sqlStatement<never, readonly []>(
  'prolong_announcing',
  `update lease_announcing set until = now() + interval '1 day'`,
);

/** Counts those that are queued, at most $1, for the bound of `lease_announce`; writes the number only where it has changed. */
const COUNT_ANNOUNCEMENTS = sqlStatement<{ queued: number }, readonly [limit: number]>(
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

const DELETE_ANNOUNCEMENTS = sqlStatement<never, readonly [ids: Buffer]>(
  'delete_announcements',
  'delete from lease_announcement where id = any($1::text[])',
);

/** The next try is due in $2 milliseconds. */
const POSTPONE_ANNOUNCEMENT = sqlStatement<never, readonly [id: string, delayMs: number]>(
  'postpone_announcement',
  `update lease_announcement set due = clock_timestamp() + $2::float8 * interval '1 millisecond' where id = $1`,
);

/** Drops announcements that have failed for a day. */
const DROP_OLD_ANNOUNCEMENTS = sqlStatement<{ id: string }, readonly []>(
  'drop_old_announcements',
  `delete from lease_announcement where made < now() - interval '1 day' returning id`,
);

/** The bound of `lease_announce`. */
const MAX_QUEUED = 100_000;

/**
 * Lapses that have yet to be announced, queued in the commits that mark them. Each is claimed by one server at a time, and by another one
 * if that has not said what became of it. Methods reject with StorageError Unavailable.
 */
export class Announcements {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Has lapses queued for the next day. */
  async prolong(): Promise<void> {
    await this.#database.query(PROLONG_ANNOUNCING, []);
  }

  /**
   * Counts the queue, which bounds it: a queue that is full takes nothing until the next count. Resolves to whether it is full. Between two
   * counts it may exceed its bound.
   */
  async count(): Promise<boolean> {
    const [row] = await this.#database.query(COUNT_ANNOUNCEMENTS, [MAX_QUEUED]);
    return row !== undefined && row.queued >= MAX_QUEUED;
  }

  claim(limit: number, seconds: number): Promise<Announcement[]> {
    return this.#database.query(CLAIM_ANNOUNCEMENTS, [limit, seconds]);
  }

  async done(ids: readonly string[]): Promise<void> {
    await this.#database.query(DELETE_ANNOUNCEMENTS, [textArray(ids)]);
  }

  async postpone(id: string, delayMs: number): Promise<void> {
    await this.#database.query(POSTPONE_ANNOUNCEMENT, [id, delayMs]);
  }

  /** Drops those that could not be announced for a day, and answers their number. */
  async dropOld(): Promise<number> {
    return (await this.#database.query(DROP_OLD_ANNOUNCEMENTS, [])).length;
  }
}
