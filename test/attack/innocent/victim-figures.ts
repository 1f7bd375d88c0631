/** Figures of requests of the innocent client since they were last collected; times in milliseconds. */
export interface LatencyFigures {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly errors: number;
}

export interface VictimFigures {
  /** GETs and renewals on its one connection. */
  readonly requests: LatencyFigures;
  /** GETs on a new connection each. */
  readonly newcomers: LatencyFigures;
  /** The longest time without a successful renewal. */
  readonly longestGapMs: number;
  /** The first few different errors. */
  readonly errors: readonly string[];
}
