import type { Logger } from 'pino';
import { type Scheduler, systemScheduler } from '../../time/scheduler.js';
import type { Database } from '../database/database.js';
import type { DatabaseOptions } from '../database/session/database-options.js';
import { changesChannel } from '../database/session/database-schema.js';
import { startFailure } from '../database/session/start-failure.js';
import { openDatabase } from '../database/start/open-database.js';
import { ChangeListener } from '../notify/change-listener.js';
import { POLL_ALONE, POLL_BESIDE_LISTEN, WakeSignal } from '../notify/wake-signal.js';
import { type CompactorObserver, Compactor } from './compaction/compactor.js';
import { CounterRepository } from './lineage/counter.repository.js';
import { KnownSegments } from './lineage/lineage-mark.js';
import { type LineageObserver, Lineage } from './lineage/lineage.js';
import { RevisionLogRepository } from './log/revision-log.repository.js';
import { PostgresStore } from './postgres-store.js';
import { HistoricalStateRepository } from './read/historical-state.repository.js';
import { ObjectRepository } from './read/object.repository.js';
import { SnapshotReader } from './read/snapshot-reader.js';
import { type PageLimits, DEFAULT_PAGE } from './rows/object-row.js';
import { SecretRepository } from './secret.repository.js';
import { type StateLimits, StateRepository } from './states/state.repository.js';
import { TermHistory } from './terms/term-history.js';
import type { TermObserver } from './terms/term-writer.js';
import { BatchSender } from './write/batch-sender.js';
import { LockRepository } from './write/blocked-writes.js';
import { type CommitObserver, CommitQueue } from './write/commit-queue.js';
import { WriteOutcomeRepository } from './write/unsettled-writes.js';

const BATCH_BYTES = 8 * 1024 * 1024;

/** The options of a store and of its database. */
export interface OpenPostgresStoreOptions extends PostgresStoreOptions {
  readonly database: DatabaseOptions;
}

/** Connects, checks, migrates and starts. Rejects with a DatabaseStartError, whose message is one line for the operator. */
export async function openPostgresStore(options: OpenPostgresStoreOptions, logger: Logger): Promise<PostgresStore> {
  const database = await openDatabase(options.database, logger);
  const store = assemblePostgresStore(database, options, logger);
  try {
    await store.start();
    return store;
  } catch (error) {
    await store.close();
    throw startFailure(error, options.database);
  }
}

/** A store that is not started. */
export function assemblePostgresStore(
  database: Database,
  given: PostgresStoreOptions,
  logger: Logger,
  scheduler: Scheduler = systemScheduler,
): PostgresStore {
  const options = { ...DEFAULT_STORE_OPTIONS, channel: changesChannel(database.schema), ...given };
  const { observer = {} } = options;
  const segments = new KnownSegments();
  const lineage = new Lineage(database, logger, observer);
  const context = { lineage, segments };
  const counters = new CounterRepository(database, lineage);
  const wakes = new WakeSignal(scheduler, () => (listener?.listening ? POLL_BESIDE_LISTEN : POLL_ALONE));
  const wake = () => wakes.fire();
  // Without a session of its own to announce commits over, they do so themselves.
  const channel = () => (options.listen && listener === undefined ? options.channel : '');
  const announce = () => listener?.announce();
  const committed = () => (wake(), announce());
  const { termHistoryMs: historyMs, termHistoryRows: historyRows, maxTerms } = options;
  const shared = { database, counters, context, scheduler, logger, observer };
  const terms = new TermHistory({ ...shared, historyMs, historyRows, maxTerms, channel, committed });
  const sender = new BatchSender(database, counters, { channel, sequels: terms.sequels }, logger);
  const listen = { channel: options.channel, wake, isOwn: (processId: number) => sender.isOwn(processId) };
  const listener = options.listen && database.keepsSessions ? new ChangeListener(database, listen, scheduler, logger) : undefined;
  lineage.onChange((moved) => {
    segments.forget();
    sender.forget(moved);
    if (moved) database.dropReads();
    if (moved) listener?.reconnect();
    wake();
  });
  const { batchItems: items, writeRetryMs, commitDelayMs } = options;
  const { tracing } = database.options;
  const queue = { limits: { items, bytes: BATCH_BYTES }, writeRetryMs, commitDelayMs, onUnclear: committed, observer, tracing };
  const reads = { outcomes: new WriteOutcomeRepository(database), locks: new LockRepository(database) };
  const commits = new CommitQueue(sender, reads, queue, scheduler, logger);
  commits.onCommitted(announce);
  return new PostgresStore({
    ...{ database, scheduler, lineage, counters, terms, wakes, listener },
    compactor: new Compactor(database, { ...options, terms: terms.maintenance }, scheduler, logger),
    secrets: new SecretRepository(database),
    states: new StateRepository(database, options.stateLimits),
    objects: new ObjectRepository(database, lineage),
    historicalStates: new HistoricalStateRepository(database, context),
    log: new RevisionLogRepository(database, context, { page: options.page, maxChanges: options.maxChanges }),
    snapshots: new SnapshotReader(database, context, options),
    commits,
    compacts: options.compaction,
  });
}

/** Receives events of a store, for metrics. Callbacks must not throw. */
export interface StoreObserver extends CommitObserver, CompactorObserver, LineageObserver, TermObserver {}

/** Options of a PostgresStore. Times are in milliseconds. */
export interface PostgresStoreOptions {
  /**
   * Whether commits are notified and listened for. False behind a pooler that does not support LISTEN; changes are then found by polling.
   */
  readonly listen?: boolean;
  /** Notification channel; by default, that of the schema. */
  readonly channel?: string;
  /** Minimum retention of changes. */
  readonly compactionIntervalMs?: number;
  readonly rotationIntervalMs?: number;
  /** False if this process does not maintain the log. */
  readonly compaction?: boolean;
  readonly batchItems?: number;
  /** How long writes wait for an unreachable database. */
  readonly writeRetryMs?: number;
  /** How long renewals wait for others to share a commit with, where those are likely; 0: not at all. */
  readonly commitDelayMs?: number;
  /** A follower that is further behind than this many revisions starts over; also the largest number of changes in a snapshot's history. */
  readonly maxChanges?: number;
  /** Largest size of a snapshot's history in bytes. */
  readonly historyBytes?: number;
  /** Page size of followers and snapshots. */
  readonly page?: PageLimits;
  /** How long terms are kept after their end; 0: none are recorded. */
  readonly termHistoryMs?: number;
  /** The most terms that have ended. */
  readonly termHistoryRows?: number;
  /** The most terms that one list looks at. */
  readonly maxTerms?: number;
  readonly stateLimits?: StateLimits;
  readonly observer?: StoreObserver;
}

/** Defaults of the optional settings. */
export const DEFAULT_STORE_OPTIONS: Required<Omit<PostgresStoreOptions, 'rotationIntervalMs' | 'observer' | 'channel'>> = {
  listen: true,
  compactionIntervalMs: 300_000,
  compaction: true,
  batchItems: 1_000,
  writeRetryMs: 10_000,
  commitDelayMs: 4,
  maxChanges: 200_000,
  historyBytes: 64 * 1024 * 1024,
  page: DEFAULT_PAGE,
  termHistoryMs: 90 * 24 * 3_600_000,
  termHistoryRows: 1_000_000,
  maxTerms: 20_000,
  stateLimits: { bytes: 1024 ** 3, percentPerNamespace: 25 },
};
