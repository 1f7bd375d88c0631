import { type PageLimits, DEFAULT_PAGE } from './rows/page-limits.js';
import type { CompactorObserver } from './compaction/compactor.js';
import type { LineageObserver } from './lineage/lineage.js';
import type { StateLimits } from './states/state.repository.js';
import type { TermObserver } from './terms/term-sequels.js';
import type { CommitObserver } from './write/commit-queue.js';

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
