/** What a commit queue tells about itself, for metrics. Callbacks must not throw. */
export interface CommitObserver {
  /** A batch was committed; `refused` of its writes did not take effect. `waitedMs`: how long the oldest of them had waited. */
  committed?(batch: { readonly writes: number; readonly refused: number; readonly waitedMs: number; readonly tookMs: number }): void;
  /** A batch came to nothing, or its outcome was lost with the connection. */
  failed?(outcome: 'failed' | 'unclear'): void;
}

/** What a compactor tells about itself. */
export interface CompactorObserver {
  /** A turn of maintenance: done, left to another replica, put off because of a lock, or failed. */
  maintained?(outcome: 'done' | 'elsewhere' | 'busy' | 'failed'): void;
  /** Changes up to this revision are forgotten. */
  compacted?(revision: number): void;
}

/** What became of the past when the database turned out to be another one: see `Lineage`. */
export type LineageChange = 'continued' | 'lost' | 'moved';

export interface LineageObserver {
  /**
   * It was looked where the database is. `continued`: restarted or replaced, and what was seen is part of its history; `lost`: something
   * that was seen is not, so caches load anew; `moved`: it is the same, and a connection led to another copy.
   */
  lineageChanged?(change: LineageChange): void;
}

export interface StoreObserver extends CommitObserver, CompactorObserver, LineageObserver {}
