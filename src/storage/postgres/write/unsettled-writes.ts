import { sql } from 'kysely';
import { Backoff } from '../../../time/backoff.js';
import { type Scheduler, sleep } from '../../../time/scheduler.js';
import type { Database } from '../../database/database.js';
import { bigintArray, textArray } from '../../database/statement/binary-array.js';
import { bigint, binaryArray, integer } from '../../database/statement/database-tables.js';
import { type RowOf, statement } from '../../database/statement/statement.js';
import { objectPath } from '../../object-path.js';
import { StorageError, isStorageError } from '../../storage-errors.js';
import type { CounterState } from '../lineage/counter.repository.js';
import { type PendingWrite, abandon, isAbandoned, stateAfter, unknownOutcome } from './pending-write.js';

/** A creation whose obstacle is gone when it is looked up is tried again, but only this often. */
const MAX_ATTEMPTS = 5;

/** How unsettled writes are looked up and retried. */
export interface UnsettledWritesOptions {
  readonly scheduler: Scheduler;
  /** How long a lookup is retried while the database is unavailable, in milliseconds. */
  readonly writeRetryMs: number;
  /** Requeues a write that certainly had no effect, or that may safely be sent twice. */
  readonly retry: (write: PendingWrite) => void;
}

interface Lookup<T> {
  readonly read: (writes: readonly PendingWrite[]) => Promise<T[]>;
  readonly answer: (write: PendingWrite, found: T) => void;
  /** The database did not respond within `writeRetryMs`. */
  readonly failed: (write: PendingWrite, error: unknown) => void;
}

/**
 * Settles the writes that a batch refused, or whose outcome is unknown, by reading the state of their objects. Never reports a write as
 * refused that may have taken effect, or still may.
 */
export class UnsettledWrites {
  readonly #outcomes: WriteOutcomeRepository;
  readonly #options: UnsettledWritesOptions;

  constructor(outcomes: WriteOutcomeRepository, options: UnsettledWritesOptions) {
    this.#outcomes = outcomes;
    this.#options = options;
  }

  /** For writes that a committed batch refused. */
  async explain(writes: readonly PendingWrite[]): Promise<void> {
    const now = performance.now();
    for (const write of writes) if (isAbandoned(write, now)) abandon(write);
    const inTime = writes.filter((write) => !isAbandoned(write, now));
    const clear = inTime.filter((write) => !write.unclearSince);
    await this.#each(clear, {
      read: (some) => this.#outcomes.targets(some),
      answer: (write, target) => this.#refuse(write, target),
      failed: (write, error) => write.reject(error),
    });
    for (const write of inTime) if (write.unclearSince) await this.findOut([write], write.unclearSince);
  }

  /** For writes of a batch whose result was lost. `since`: the state of the counter when it was sent. */
  async findOut(writes: readonly PendingWrite[], since: CounterState): Promise<void> {
    for (const write of writes) write.unclearSince ??= since;
    await this.#each(writes, {
      read: (some) => this.#outcomes.outcomes(some, since),
      answer: (write, found) => this.#settle(write, found),
      failed: (write) => write.reject(unknownOutcome(write)),
    });
  }

  async #each<T>(writes: readonly PendingWrite[], { read, answer, failed }: Lookup<T>): Promise<void> {
    if (writes.length === 0) return;
    try {
      const { scheduler, writeRetryMs } = this.#options;
      const found = await retryWhileUnavailable(scheduler, writeRetryMs, () => read(writes));
      writes.forEach((write, i) => answer(write, found[i] as T));
    } catch (error) {
      for (const write of writes) failed(write, error);
    }
  }

  #refuse(write: PendingWrite, target: WriteTarget): void {
    const error = reasonOf(write, target);
    if (error) return write.reject(error);
    if (++write.attempts < MAX_ATTEMPTS) return this.#options.retry(write);
    write.reject(new StorageError('Unavailable', `${write.lock} keeps appearing and disappearing`));
  }

  #settle(write: PendingWrite, found: FoundOutcome): void {
    if (found.applied !== null) return write.resolve(stateAfter(write, found.applied));
    const floor = write.unclearSince?.value ?? 0;
    // The row that would tell may have been compacted.
    if (found.compacted > floor) return write.reject(unknownOutcome(write));
    // A creation that is sent twice could take effect twice, with a deletion in between.
    if (write.kind === 'A') return write.reject(unknownOutcome(write));
    // The state that it replaces is gone for good, so it can no longer take effect.
    if (found.revision !== write.current?.revision) return write.reject(lostRace(write, found.revision));
    const { scheduler, writeRetryMs, retry } = this.#options;
    if (scheduler.now() - write.since < writeRetryMs) return retry(write);
    write.reject(unknownOutcome(write));
  }
}

/** The reason for a refusal; undefined if it no longer exists. */
function reasonOf(write: PendingWrite, target: WriteTarget): StorageError | undefined {
  const { container, containerLock, lock } = write;
  // Its deadline had passed in the database, but not yet here.
  if (write.kind !== 'A' && target.revision === write.current?.revision) return undefined;
  if (write.kind !== 'A') return lostRace(write, target.revision);
  if (container && !target.container_found) return new StorageError('ContainerMissing', `${containerLock} does not exist`);
  if (container && target.container_terminating) return new StorageError('ContainerTerminating', `${containerLock} is terminating`);
  return target.revision === null ? undefined : new StorageError('Exists', `${lock} exists`);
}

function lostRace(write: PendingWrite, revision: number | null): StorageError {
  if (revision === null) return new StorageError('NotFound', `${write.lock} does not exist`);
  return new StorageError('Conflict', `${write.lock} is at ${revision}`);
}

/**
 * Repeats `attempt` with back-off while it rejects with StorageError Unavailable, for at most `writeRetryMs`; then rejects with that error.
 */
async function retryWhileUnavailable<T>(scheduler: Scheduler, writeRetryMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = scheduler.now() + writeRetryMs;
  const backoff = new Backoff(50, 1_000);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isStorageError(error, 'Unavailable') || scheduler.now() >= deadline) throw error;
    }
    await sleep(scheduler, backoff.next());
  }
}

/** The state at the keys $1 (resources) and $2 (paths), and of the containers $3 and $4; a row per key, numbered from 1. */
const READ_TARGETS = statement(
  'read_write_targets',
  [binaryArray, binaryArray, binaryArray, binaryArray],
  (db, [resources, paths, containerResources, containerPaths]) =>
    db
      .selectFrom(
        sql<Target>`unnest(${resources}::text[], ${paths}::text[], ${containerResources}::text[], ${containerPaths}::text[]) with ordinality`.as<'op'>(
          sql`op(resource, path, container_resource, container_path, ord)`,
        ),
      )
      .leftJoin('objects as o', (join) => join.onRef('o.resource', '=', 'op.resource').onRef('o.path', '=', 'op.path'))
      .leftJoin('objects as c', (join) => join.onRef('c.resource', '=', 'op.container_resource').onRef('c.path', '=', 'op.container_path'))
      .select([
        sql<number>`op.ord::integer`.as('ord'),
        'o.revision',
        sql<boolean>`c.path is not null`.as('container_found'),
        'c.terminating as container_terminating',
      ]),
);

/**
 * Which of the writes with the keys $1 and $2 and the tokens $3 are in the log after revision $5, in segment $4 or later.
 *
 * A commit that was interrupted while it waited for a synchronous standby is visible, but may be missing on the standby. This is therefore
 * a transaction with a commit of its own, which waits for the standby as the first one would have: what it reads survives the loss of the
 * primary. The row lock gives it something to commit, and blocks nobody.
 */
const FIND_APPLIED = statement(
  'find_applied_writes',
  [binaryArray, binaryArray, binaryArray, integer, bigint],
  (db, [resources, paths, tokens, segment, since]) =>
    db
      .selectFrom('compaction')
      .crossJoin(
        sql<Sought>`unnest(${resources}::text[], ${paths}::text[], ${tokens}::bigint[]) with ordinality`.as<'op'>(
          sql`op(resource, path, token, ord)`,
        ),
      )
      .leftJoin('objects as o', (join) => join.onRef('o.resource', '=', 'op.resource').onRef('o.path', '=', 'op.path'))
      .leftJoin('revision_log as l', (join) =>
        join
          .on('l.segment', '>=', segment)
          .onRef('l.resource', '=', 'op.resource')
          .onRef('l.path', '=', 'op.path')
          .on('l.revision', '>', since)
          .onRef('l.token', '=', 'op.token'),
      )
      .select([sql<number>`op.ord::integer`.as('ord'), 'l.revision as applied', 'o.revision', 'compaction.revision as compacted'])
      .forKeyShare(['compaction']),
);

/** Rows that both statements build from their arrays. */
interface Sought {
  readonly resource: string;
  readonly path: string;
  readonly token: number;
  readonly ord: number;
}

interface Target extends Omit<Sought, 'token'> {
  readonly container_resource: string | null;
  readonly container_path: string | null;
}

/** The state at the target of a write. */
type WriteTarget = Omit<RowOf<typeof READ_TARGETS>, 'ord'>;

/** `applied`: the revision with which the write took effect, null if it did not. `revision`: the object's newest one, null if it is gone. */
type FoundOutcome = Omit<RowOf<typeof FIND_APPLIED>, 'ord'>;

/**
 * Looks up writes afterwards: why one was refused, and whether one with an unknown outcome took effect. Results are in the order of the
 * writes.
 */
export class WriteOutcomeRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The current state at the target of each write. */
  async targets(writes: readonly PendingWrite[]): Promise<WriteTarget[]> {
    const rows = await this.#database.query(READ_TARGETS, [
      textArray(writes.map((write) => write.key.resource)),
      textArray(writes.map((write) => write.path)),
      textArray(writes.map(({ container }) => container?.resource ?? null)),
      textArray(writes.map(({ container }) => (container ? objectPath(container) : null))),
    ]);
    return inOrder(rows);
  }

  /** `since`: the counter before the writes were sent for the first time. */
  async outcomes(writes: readonly PendingWrite[], since: CounterState): Promise<FoundOutcome[]> {
    const rows = await this.#database.query(
      FIND_APPLIED,
      [
        textArray(writes.map((write) => write.key.resource)),
        textArray(writes.map((write) => write.path)),
        bigintArray(writes.map((write) => write.token)),
        since.segment,
        since.value,
      ],
      { isDurable: true },
    );
    return inOrder(rows);
  }
}

function inOrder<Row extends { ord: number }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => a.ord - b.ord);
}
