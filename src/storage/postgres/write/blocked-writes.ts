import type { Logger } from 'pino';
import { type Scheduler, sleep } from '../../../time/scheduler.js';
import type { Database } from '../../database/database.js';
import {
  type Blocker,
  type CounterHolder,
  AGAINST_WRITES,
  LIST_LOCK_HOLDERS,
  LOOK_AT_BLOCKERS,
  LOOK_AT_COUNTER,
  MORE_THAN_READING,
  describeHolder,
} from '../../database/session/lock-holders.js';
import { charArray, textArray } from '../../database/statement/binary-array.js';
import { sqlStatement } from '../../database/statement/statement.js';
import { objectPath } from '../../object-path.js';
import { StorageError } from '../../storage-errors.js';
import { type PendingWrite, abandon, isAbandoned } from './pending-write.js';

const LOOK_MS = 250;

/** How blocked writes are looked after. */
export interface BlockedWritesOptions {
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** How long a write waits for its row, in milliseconds. */
  readonly writeRetryMs: number;
  /** Requeues a write whose row is free. */
  readonly retry: (write: PendingWrite) => void;
  /** Keeps track of what goes on as long as a write waits. */
  readonly inBackground: (work: Promise<void>) => void;
}

/**
 * Writes of rows that other sessions have locked, such as an administrator's `select ... for update`. In a batch, they would wait with the
 * counter locked, and all writes of all servers with them. They wait here instead, until their rows are free.
 */
export class BlockedWrites {
  readonly #locks: LockRepository;
  readonly #options: BlockedWritesOptions;
  #waiting: PendingWrite[] = [];
  /** Names of locked objects. */
  readonly #locked = new Set<string>();
  #isLooking = false;
  #closed = false;

  constructor(locks: LockRepository, options: BlockedWritesOptions) {
    this.#locks = locks;
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Whether its row, or its container's, was locked when it was last looked at. */
  includes({ lock, containerLock }: PendingWrite): boolean {
    if (this.#locked.size === 0) return false;
    return this.#locked.has(lock) || (containerLock !== undefined && this.#locked.has(containerLock));
  }

  /** Adds those of the writes whose rows are locked, and returns the others. Rejects with StorageError Unavailable. */
  async takeFrom(batch: readonly PendingWrite[]): Promise<PendingWrite[]> {
    const locked = await this.#locks.locked(batch);
    const news = [...locked].filter((write) => !this.includes(write));
    for (const write of locked) this.add(write);
    if (news.length > 0) await this.#tell(news);
    return batch.filter((write) => !locked.has(write));
  }

  add(write: PendingWrite): void {
    if (this.#closed) return write.reject(new StorageError('Unavailable', 'the store is closed'));
    this.#waiting.push(write);
    this.#locked.add(write.kind === 'A' ? (write.containerLock ?? write.lock) : write.lock);
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#options.inBackground(this.#lookUntilFree());
  }

  close(): void {
    this.#closed = true;
  }

  async #lookUntilFree(): Promise<void> {
    while (this.#waiting.length > 0) {
      await sleep(this.#options.scheduler, LOOK_MS);
      this.#expire();
      await this.#look();
    }
    this.#locked.clear();
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const looked = this.#waiting;
    if (looked.length === 0) return;
    try {
      const locked = await this.#locks.locked(looked);
      const since = this.#waiting.filter((write) => !looked.includes(write));
      this.#waiting = [];
      this.#locked.clear();
      for (const write of [...looked.filter((write) => locked.has(write)), ...since]) this.add(write);
      for (const write of looked) if (!locked.has(write)) this.#options.retry(write);
    } catch (err) {
      this.#options.logger.debug({ err }, 'cannot find out which rows are locked');
    }
  }

  #expire(): void {
    const { scheduler, writeRetryMs } = this.#options;
    const oldest = this.#closed ? Infinity : scheduler.now() - writeRetryMs;
    const now = performance.now();
    this.#waiting = this.#waiting.filter((write) => {
      if (isAbandoned(write, now)) abandon(write);
      else if (write.since <= oldest) write.reject(new StorageError('Unavailable', `another session has locked the row of ${write.lock}`));
      else return true;
      return false;
    });
  }

  /** Names the sessions, as far as they can be seen. */
  async #tell(writes: readonly PendingWrite[]): Promise<void> {
    const holders = await this.#locks.holdersOfRows().catch((): string[] => []);
    const objects = writes.slice(0, 10).map(({ lock }) => lock);
    this.#options.logger.warn(
      { objects, more: writes.length - objects.length, holders },
      'other sessions have locked rows; writes of these rows wait',
    );
  }
}

/** A batch usually takes milliseconds. */
const COUNTER_LOOK_MS = 1_000;

interface CounterWatchOptions {
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** How long the batch in flight has been under way, in milliseconds; undefined if there is none. */
  readonly inFlightMs: () => number | undefined;
  /** The server process of the session that writes; undefined if that is unknown, as behind a pooler. */
  readonly writer: () => number | undefined;
  /** A session, or its statement, was ended. */
  readonly ended: () => void;
}

/**
 * Finds out who keeps a batch waiting: who has the revision counter locked, or a table or catalogue. A SQL client that still has the counter a second
 * later is ended, and so is a statement that still waits for a table, with all writes of all servers in the queue behind it. Any other session is only
 * named in the log: an administrator, or another server, knows what it does.
 */
export class CounterWatch {
  readonly #locks: LockRepository;
  readonly #options: CounterWatchOptions;
  #isWatching = false;
  /** The transaction that had the counter at the last look. */
  #seen: string | undefined;
  #told: string | undefined;
  /** The server processes that were in the way at the last look, and those that have been named since there was none. */
  #blockers: readonly number[] = [];
  readonly #named = new Set<number>();

  constructor(locks: LockRepository, options: CounterWatchOptions) {
    this.#locks = locks;
    this.#options = options;
  }

  /** A batch was sent. Costs nothing if one was a moment ago. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#options.scheduler.after(COUNTER_LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const ms = this.#options.inFlightMs();
    if (ms !== undefined && ms >= COUNTER_LOOK_MS / 2) {
      const debug = (err: unknown) => this.#options.logger.debug({ err }, 'cannot see who keeps writes waiting');
      await this.#lookAtBlockers().catch(debug);
      if (this.#blockers.length === 0) await this.#lookAtHolder().catch(debug);
    } else {
      this.#seen = undefined;
      this.#blockers = [];
      this.#named.clear();
    }
    this.#isWatching = false;
    if (ms !== undefined) this.watch();
  }

  async #lookAtBlockers(): Promise<void> {
    const writer = this.#options.writer();
    const found = writer === undefined ? [] : await this.#locks.blockers(writer, this.#blockers);
    const seen = this.#blockers;
    this.#blockers = found.map(({ pid }) => pid);
    for (const blocker of found) {
      if (blocker.cancelled) this.#options.ended();
      else if (!seen.includes(blocker.pid) || this.#named.has(blocker.pid)) continue;
      this.#named.add(blocker.pid);
      const what = blocker.cancelled ? 'cancelled a statement that kept all writes waiting' : 'a session keeps all writes waiting';
      this.#options.logger.warn({ holder: describeHolder(blocker) }, what);
    }
  }

  async #lookAtHolder(): Promise<void> {
    const holder = await this.#locks.counterHolder(this.#seen);
    const isSeen = holder !== undefined && holder.transaction === this.#seen;
    this.#seen = holder?.transaction;
    if (!isSeen || (holder.transaction === this.#told && !holder.ended)) return;
    this.#told = holder.transaction;
    const what = holder.ended ? 'ended a SQL client that kept all writes waiting' : 'a session keeps all writes waiting';
    this.#options.logger.warn({ holder: describeHolder(holder) }, what);
    if (holder.ended) this.#options.ended();
  }
}

/**
 * The numbers, from 1, of the writes whose row (resources $1, paths $2), or whose container's ($3, $4), another transaction has locked. $5:
 * kinds of the writes. Locks each row as the write would, and does not wait. SQL, because Kysely cannot lock rows of a subquery.
 */
const FIND_LOCKED = sqlStatement<{ ord: number }, readonly unknown[]>(
  'find_locked_writes',
  `
  select op.ord::integer as ord
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::"char"[]) with ordinality
    as op(resource, path, container_resource, container_path, kind, ord)
  left join lateral (
    select true as found from objects o where o.resource = op.resource and o.path = op.path and op.kind <> 'A'
  ) target on true
  left join lateral (
    select true as free from objects o where o.resource = op.resource and o.path = op.path and op.kind <> 'A'
    for no key update skip locked
  ) free_target on true
  left join lateral (
    select true as found from objects n where n.resource = op.container_resource and n.path = op.container_path
  ) container on true
  left join lateral (
    select true as free from objects n where n.resource = op.container_resource and n.path = op.container_path
    for share skip locked
  ) free_container on true
  where (target.found and free_target.free is null) or (container.found and free_container.free is null)`,
);

/** What other sessions have locked that writes wait for, and who they are. */
export class LockRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The writes that would wait for a row. */
  async locked(writes: readonly PendingWrite[]): Promise<Set<PendingWrite>> {
    const rows = await this.#database.query(FIND_LOCKED, [
      textArray(writes.map(({ key }) => key.resource)),
      textArray(writes.map(({ path }) => path)),
      textArray(writes.map(({ container }) => container?.resource ?? null)),
      textArray(writes.map(({ container }) => (container ? objectPath(container) : null))),
      charArray(writes.map(({ kind }) => kind)),
    ]);
    return new Set(rows.map(({ ord }) => writes[ord - 1] as PendingWrite));
  }

  /** The transactions that may have locked them, for a log line. */
  async holdersOfRows(): Promise<string[]> {
    return (await this.#database.query(LIST_LOCK_HOLDERS, [['objects'], MORE_THAN_READING])).map(describeHolder);
  }

  /** The transactions for whose locks on tables all writes wait. */
  async holdersOfTables(): Promise<string[]> {
    return (await this.#database.query(LIST_LOCK_HOLDERS, [['objects', 'revision_log'], AGAINST_WRITES])).map(describeHolder);
  }

  /** The sessions that keep this one of ours waiting for the lock of a table. Of those `seen` before, ends the statement of one that waits itself. */
  blockers(writer: number, seen: readonly number[]): Promise<Blocker[]> {
    return this.#database.query(LOOK_AT_BLOCKERS, [writer, seen]);
  }

  /** The session that has locked the revision counter. If it is the transaction `seen` of a SQL client, ends it. */
  async counterHolder(seen: string | undefined): Promise<CounterHolder | undefined> {
    return (await this.#database.query(LOOK_AT_COUNTER, [seen ?? null]))[0];
  }
}
