/** Page size of reads, which bounds memory and the time in the event loop. A page has at least one row. */
export interface PageLimits {
  readonly rows: number;
  /** Bytes of data, approximately. */
  readonly bytes: number;
}

/** The page size of followers and snapshots, unless a store has another. */
export const DEFAULT_PAGE: PageLimits = { rows: 1_000, bytes: 2 * 1024 * 1024 };
