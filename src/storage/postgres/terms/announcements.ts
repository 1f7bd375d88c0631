import type { Database } from '../../database/database.js';
import { textArray } from '../../database/statement/binary-array.js';
import type { Announcement } from '../../lapse-change.js';
import {
  CLAIM_ANNOUNCEMENTS,
  COUNT_ANNOUNCEMENTS,
  DELETE_ANNOUNCEMENTS,
  DROP_OLD_ANNOUNCEMENTS,
  POSTPONE_ANNOUNCEMENT,
  PROLONG_ANNOUNCING,
} from './announcement-statements.js';

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
