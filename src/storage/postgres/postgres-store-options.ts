import { MAX_OBJECT_BYTES } from '../storage-limits.js';
import type { PageLimits } from './rows/page-limits.js';
import { DEFAULT_PAGE } from './rows/page-limits.js';
import type { CompactorObserver } from './compaction/compactor.js';
import type { LineageObserver } from './lineage/lineage.js';
import type { CommitObserver } from './write/commit-queue.js';

/** What a store reports, for metrics. Callbacks must not throw. */
export interface StoreObserver extends CommitObserver, CompactorObserver, LineageObserver {}

/** The options of a PostgresStore. Times are milliseconds. */
export interface PostgresStoreOptions {
  /** Whether commits are notified and listened for. False behind a pooler that cannot LISTEN: then they are found by polling. */
  readonly listen?: boolean;
  /** Of notifications; by default the one of the schema. */
  readonly channel?: string;
  /** How long changes are kept at least. */
  readonly compactionIntervalMs?: number;
  readonly rotationIntervalMs?: number;
  /** False if this process does not maintain the log. */
  readonly compaction?: boolean;
  readonly batchItems?: number;
  readonly batchBytes?: number;
  readonly objectBytes?: number;
  /** How long writes wait for a database that cannot be reached. */
  readonly writeRetryMs?: number;
  /** A follower that is further behind than so many revisions starts anew; also the most changes that a snapshot's history has. */
  readonly mostChanges?: number;
  /** The most bytes of a snapshot's history. */
  readonly historyBytes?: number;
  /** What followers and snapshots read at a time. */
  readonly page?: PageLimits;
  readonly observer?: StoreObserver;
}

/** What holds for options that are not given. */
export const DEFAULT_STORE_OPTIONS: Required<Omit<PostgresStoreOptions, 'rotationIntervalMs' | 'observer' | 'channel'>> = {
  listen: true,
  compactionIntervalMs: 300_000,
  compaction: true,
  batchItems: 1_000,
  batchBytes: 8 * 1024 * 1024,
  objectBytes: MAX_OBJECT_BYTES,
  writeRetryMs: 10_000,
  mostChanges: 200_000,
  historyBytes: 64 * 1024 * 1024,
  page: DEFAULT_PAGE,
};
