/** Figures of the innocent client's requests since the last collection; times are in milliseconds. */
export interface LatencyFigures {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly errors: number;
}

export interface VictimFigures {
  /** GETs and renewals on its only connection. */
  readonly requests: LatencyFigures;
  /** GETs that each use a new connection. */
  readonly newcomers: LatencyFigures;
  /** The longest time without a successful renewal. */
  readonly longestGapMs: number;
  /** The first few distinct errors. */
  readonly errors: readonly string[];
}
