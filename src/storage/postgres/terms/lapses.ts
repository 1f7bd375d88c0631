import type { Database } from '../../database/database.js';
import { READ_CLOCK } from '../../database/session/connected-role.js';
import { textArray } from '../../database/statement/binary-array.js';
import { sqlStatement } from '../../database/statement/statement.js';
import type { Announcement, LapseChange } from '../../term-change.js';
import type { TermWriter } from './term-writer.js';

/** A page of open terms that have lapsed, after a path ($1); $2 the most. */
const LIST_LAPSED_TERMS = sqlStatement<{ path: string }, readonly [after: string, limit: number]>(
  'list_lapsed_terms',
  'select path from lease_term where segment = 0 and lapsed and path > $1 order by path limit $2',
);

const PAGE = 5_000;

/** Terms whose holders are late. Methods reject with StorageError Unavailable. */
export class Lapses {
  readonly announcements: Announcements;
  readonly #database: Database;
  readonly #writer: TermWriter;

  constructor(database: Database, writer: TermWriter) {
    this.#database = database;
    this.#writer = writer;
    this.announcements = new Announcements(database);
  }

  /** Answers the leases, as `namespace/name`, whose terms were changed. Unavailable: some may have been. */
  async change(changes: readonly LapseChange[]): Promise<Set<string>> {
    return new Set((await this.#writer.change(changes)).map(leaseOf));
  }

  /** The leases, as `namespace/name`, whose terms have lapsed and are open. */
  async list(): Promise<Set<string>> {
    const leases = new Set<string>();
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: { path: string }[] = await this.#database.query(LIST_LAPSED_TERMS, [after, PAGE]);
      for (const { path } of page) leases.add(leaseOf(path));
      after = page.length === PAGE ? page.at(-1)?.path : undefined;
    }
    return leases;
  }

  /** The database's clock, in milliseconds. */
  async clock(): Promise<number> {
    return (await this.#database.query(READ_CLOCK, []))[0]?.now ?? NaN;
  }
}

/** A term is named after its lease and its token. */
function leaseOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

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
