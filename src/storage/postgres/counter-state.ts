/** What a batch must find unchanged in the counter's row to be committed. */
export interface CounterState {
  /** The newest revision when this was read. */
  readonly value: number;
  /** The lineage that it belongs to. */
  readonly lineage: number;
  /** The segment of the log that is written to. */
  readonly segment: number;
  /** The newest revision when that segment began: it has the rows above. */
  readonly segmentStart: number;
}
