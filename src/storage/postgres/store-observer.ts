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

export interface StoreObserver extends CommitObserver, CompactorObserver {}
