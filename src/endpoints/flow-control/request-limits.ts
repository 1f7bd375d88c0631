/** Limits on concurrent requests and watches. 0 means no limit. */
export interface RequestLimits {
  /** Fair queues by priority (`--enable-priority-and-fairness`) over the sum of the next two limits, instead of these two limits alone. */
  readonly priorityAndFairness: boolean;
  /** The value of `--max-requests-inflight`. */
  readonly readOnly: number;
  /** The value of `--max-mutating-requests-inflight`. */
  readonly mutating: number;
  /** Watches that one user may have open; members of system:masters are exempt (`--max-watches-per-user`). */
  readonly watchesPerUser: number;
}
