import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type pg from 'pg';
import type { Database } from '../../database/database.js';
import { DatabaseStartError } from '../../database/session/database-start-error.js';
import { READ_CLOCK } from '../../database/session/connected-role.js';
import { sqlState, toStorageError } from '../../database/session/pg-errors.js';
import { type RowOf, runStatement, sqlStatement, statement } from '../../database/statement/statement.js';
import { bigint, float, text } from '../../database/statement/database-tables.js';
import type { Scheduler } from '../../../time/scheduler.js';
import { OLDEST_TRANSACTION } from '../../database/session/lock-holders.js';
import { SegmentRepository } from './segment.repository.js';
import { type StateTotals, COUNT_STATES } from '../states/state.repository.js';
import type { TermMaintenance } from '../terms/term-history.js';

/** The revision up to which changes are compacted. One row. */
export const READ_COMPACTED = statement('read_compacted', [], (db) => db.selectFrom('compaction').select('revision'));

/** Number of partitions attached after the one that is written to. One row. Written in SQL, because it reads PostgreSQL's catalogue. */
const COUNT_SPARE_SEGMENTS = sqlStatement<{ spares: number }, readonly []>(
  'spare_segments',
  `
    select count(*)::int as spares
    from revision_counter counter, pg_inherits child
    where child.inhparent = 'revision_log'::regclass
      and not child.inhdetachpending
      and substring(child.inhrelid::regclass::text from '[0-9]+$')::int > counter.segment`,
);

/** Receives events of a compactor. */
export interface CompactorObserver {
  /** A maintenance run: done, left to another replica, postponed because of a lock, or failed. */
  maintained?(outcome: 'done' | 'elsewhere' | 'busy' | 'failed'): void;
  /** Changes up to this revision have been dropped. */
  compacted?(revision: number): void;
  /** With each completed run: the number of ended terms that are kept. */
  keptTerms?(count: number): void;
  /** With each completed run. */
  countedStates?(totals: StateTotals): void;
  /** With each completed run: age in seconds of the oldest transaction that keeps old row versions alive. */
  sawOldestTransaction?(seconds: number): void;
  /** With each run, of every replica: how far the database's wall clock is ahead of this machine's. */
  comparedClocks?(seconds: number): void;
}

/** Retention and rotation of the log. Times are in milliseconds. */
export interface CompactorOptions {
  /** Minimum retention of changes; 0: unlimited, unless `compact` is called. */
  readonly compactionIntervalMs: number;
  /** How long a segment is written to; by default a fifth of the retention, and at most a minute, unless hardly anything is written. */
  readonly rotationIntervalMs?: number;
  readonly observer?: CompactorObserver;
  /** Absent: terms are left alone. */
  readonly terms?: Pick<TermMaintenance, 'maintain' | 'compareWhenDue'>;
}

/** Number of attached, empty partitions: without one, no batch could be committed after a rotation. */
const SPARE_SEGMENTS = 2;
const SOONER_MS = 5_000;
const LONGEST_ROTATION_MS = 60_000;
/** A segment with fewer changes is written to for half the time that changes are kept: a new one costs as much WAL as thirty changes. */
const FEW_CHANGES = 1_000;

const READ_COUNTER = statement('maintenance_counter', [], (db) =>
  db.selectFrom('revision_counter').select(['value', 'segment', 'segment_start']),
);

/** Claims maintenance for the holder $1, for $2 milliseconds. No row: another replica has it. */
const CLAIM = statement('claim_maintenance', [text, float], (db, [holder, ms]) =>
  db
    .updateTable('compaction')
    .set({ holder, held_until: sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'` })
    .where((eb) => eb.or([eb('holder', '=', holder), eb('held_until', '<', sql<Date>`clock_timestamp()`)]))
    .returning('holder'),
);

/** Moves the compacted revision forward to $1, but not beyond the newest revision. */
const ADVANCE = statement('advance_compaction', [bigint], (db, [revision]) => {
  const to = sql<number>`least(${revision}::bigint, counter.value)`;
  return db.updateTable('compaction').from('revision_counter as counter').set({ revision: to }).where('compaction.revision', '<', to);
});

/** Deletes lineages that are entirely compacted; a server still in one of them has been away too long to continue anyway. */
const FORGET_LINEAGES = statement('forget_lineages', [], (db) =>
  db
    .deleteFrom('revision_lineage as old')
    .using('compaction')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('revision_lineage as next')
          .select('next.id')
          .whereRef('next.began', '>', 'old.began')
          .whereRef('next.began', '<=', 'compaction.revision'),
      ),
    ),
);

/**
 * Maintains the log: keeps spare segments ahead, starts a new segment about every minute, or on a quiet day twice in each compaction interval, and drops
 * segments older than that interval.
 *
 * Every step is a compare-and-set, or DDL that fails if it has been done already, so two replicas can run it at once; the claim only saves
 * them the work. The compacted revision is committed before anything is dropped, so no reader mistakes a missing row for no change.
 */
export class Compactor {
  readonly #database: Database;
  readonly #options: CompactorOptions;
  readonly #scheduler: Scheduler;
  readonly #logger: Logger;
  readonly #holder = randomUUID();
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;

  constructor(database: Database, options: CompactorOptions, scheduler: Scheduler, logger: Logger) {
    this.#database = database;
    this.#options = options;
    this.#scheduler = scheduler;
    this.#logger = logger;
  }

  /** Number of spare segments; with none, writes fail at the next rotation. */
  async spareSegments(): Promise<number> {
    const [row] = await this.#database.query(COUNT_SPARE_SEGMENTS, []);
    return row?.spares ?? 0;
  }

  start(): void {
    this.#schedule(this.#rotationMs / 10);
  }

  /** Stops after the current step has finished. */
  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#running;
  }

  /** Compacts changes up to this revision, or the newest one, and drops every segment that contains no others. */
  async compact(revision: number): Promise<void> {
    await this.#withClient((client) => this.#compact(client, revision));
  }

  /** Starts a new segment now. */
  async rotate(): Promise<void> {
    await this.#withClient(async (client) => {
      await this.#addSpares(client);
      await this.#rotate(client);
    });
  }

  /** Does everything that is due, or nothing if another replica is doing it. */
  async maintain(): Promise<'done' | 'elsewhere'> {
    return await this.#withClient(async (client) => {
      await this.#compareClocks(client);
      // not the claimant's alone: that may be a server of a version without terms, or one that has just ended
      this.#options.terms?.compareWhenDue();
      const claimed = await runStatement(client, CLAIM, [this.#holder, 2 * this.#rotationMs]);
      if (claimed.length === 0) return 'elsewhere';
      await this.#addSpares(client);
      await this.#rotateWhenDue(client);
      await this.#compactWhenDue(client);
      await this.#retainTerms(client);
      const [states] = await runStatement(client, COUNT_STATES, []);
      this.#options.observer?.countedStates?.(states ?? { states: 0, bytes: 0, largestNamespace: 0 });
      const [oldest] = await runStatement(client, OLDEST_TRANSACTION, []);
      this.#options.observer?.sawOldestTransaction?.(oldest?.seconds ?? 0);
      return 'done';
    });
  }

  /** Nothing is decided by the difference. It is wrong by up to half the time that the question takes. */
  async #compareClocks(client: pg.ClientBase): Promise<void> {
    const { observer } = this.#options;
    if (!observer?.comparedClocks) return;
    const asked = Date.now();
    const [answer] = await runStatement(client, READ_CLOCK, []);
    observer.comparedClocks(answer ? (answer.now - (asked + Date.now()) / 2) / 1000 : 0);
  }

  async #retainTerms(client: pg.ClientBase): Promise<void> {
    const { terms, observer } = this.#options;
    if (!terms) return;
    const kept = await terms.maintain(client);
    observer?.keptTerms?.(kept);
  }

  get #rotationMs(): number {
    const { compactionIntervalMs: interval, rotationIntervalMs } = this.#options;
    return rotationIntervalMs ?? (interval > 0 ? Math.min(interval / 5, LONGEST_ROTATION_MS) : LONGEST_ROTATION_MS);
  }

  #schedule(ms: number): void {
    this.#cancel = this.#scheduler.after(ms * (0.9 + Math.random() / 5), () => {
      this.#running = this.#tick().finally(() => (this.#running = undefined));
    });
  }

  async #tick(): Promise<void> {
    let next = this.#rotationMs;
    try {
      this.#options.observer?.maintained?.(await this.maintain());
    } catch (error) {
      // A long reader holds a lock that is needed; trying again later loses nothing.
      const busy = sqlState(error) === '55P03';
      this.#options.observer?.maintained?.(busy ? 'busy' : 'failed');
      this.#logger[busy ? 'debug' : 'warn']({ err: error }, 'maintenance of the revision log is postponed');
      next = Math.min(next, SOONER_MS);
    }
    if (this.#cancel) this.#schedule(next);
  }

  async #withClient<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#database.connect('maintenance').catch((error: unknown) => {
      throw toStorageError(error);
    });
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  #segments(client: pg.ClientBase): SegmentRepository {
    return new SegmentRepository(client, this.#database.schema);
  }

  async #counter(client: pg.ClientBase): Promise<RowOf<typeof READ_COUNTER>> {
    const [counter] = await runStatement(client, READ_COUNTER, []);
    if (!counter) throw new DatabaseStartError('the table revision_counter is empty: restore a backup');
    return counter;
  }

  async #addSpares(client: pg.ClientBase): Promise<void> {
    const segments = this.#segments(client);
    const { segment: current } = await this.#counter(client);
    const all = await segments.list();
    let spares = all.filter(({ segment, attached }) => attached && segment > current).length;
    let newest = Math.max(current, ...all.map(({ segment }) => segment));
    for (; spares < SPARE_SEGMENTS; spares++) await segments.attachNew(++newest);
  }

  async #rotate(client: pg.ClientBase): Promise<void> {
    const segments = this.#segments(client);
    const { segment: current } = await this.#counter(client);
    const next = (await segments.list()).find(({ segment, attached, detaching }) => attached && !detaching && segment > current);
    if (next && (await segments.rotate(current, next.segment))) await this.#addSpares(client);
  }

  async #rotateWhenDue(client: pg.ClientBase): Promise<void> {
    const { value, segment_start: start } = await this.#counter(client);
    const age = (await this.#segments(client).starts()).at(-1)?.ageMs ?? Infinity;
    const { compactionIntervalMs, rotationIntervalMs } = this.#options;
    const hasFew = rotationIntervalMs === undefined && value - start < FEW_CHANGES;
    const due = Math.max(0.8 * this.#rotationMs, hasFew ? compactionIntervalMs / 2 : 0);
    if (value > start && age >= due) await this.#rotate(client);
  }

  async #compactWhenDue(client: pg.ClientBase): Promise<void> {
    const { compactionIntervalMs: interval } = this.#options;
    if (interval <= 0) return;
    const starts = await this.#segments(client).starts();
    const old = starts.findLast(({ ageMs }) => ageMs >= interval);
    if (old) await this.#compact(client, old.startRevision);
  }

  async #compact(client: pg.ClientBase, revision: number): Promise<void> {
    await runStatement(client, ADVANCE, [revision]);
    const compacted = (await runStatement(client, READ_COMPACTED, []))[0]?.revision ?? 0;
    this.#options.observer?.compacted?.(compacted);
    await runStatement(client, FORGET_LINEAGES, []);
    const segments = this.#segments(client);
    const starts = await segments.starts();
    // A segment ends where the next one starts.
    const firstKept = starts.findLast(({ startRevision }) => startRevision <= compacted)?.segment ?? 0;
    for (const partition of await segments.list()) {
      if (partition.segment >= firstKept) break;
      await segments.remove(partition);
    }
    for (const { segment } of starts) if (segment < firstKept) await segments.forgetStart(segment);
  }
}
