import type { Lease } from '../api/kubernetes-objects.js';

/** A lease and this page's observations of it. Times are milliseconds on the server's clock. */
export interface ObservedLease {
  /** `namespace/name` */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly lease: Lease;
  /** '' without a holder. */
  readonly holder: string;
  /** Undefined: the lease does not expire. */
  readonly durationMs: number | undefined;
  readonly transitions: number;
  /** The time of the last renewal, by our own observation if there is one; undefined: never renewed. */
  readonly renewedAt: number | undefined;
  /** Whether `renewedAt` was observed, rather than read from the holder's clock. */
  readonly observed: boolean;
  /** How far the holder's clock is ahead of the server's; undefined until a renewal by this holder was observed. */
  readonly holderAheadMs: number | undefined;
  /** The smoothed interval between renewals; undefined until two by this holder were observed. */
  readonly intervalMs: number | undefined;
  /** The number of observed renewals by all holders. */
  readonly renewals: number;
  /** The latest holders, in order. */
  readonly terms: readonly SeenTerm[];
  /** The latest gaps between renewals that were too long, in order. */
  readonly gaps: readonly Gap[];
}

/** A period with one holder, or with none (''). */
export interface SeenTerm {
  readonly holder: string;
  readonly from: number;
  /** Whether it was seen under way: it began at `from` or earlier. */
  readonly beganEarlier?: boolean;
  /** Undefined: the period has not ended. */
  readonly to: number | undefined;
  /** The version of the write that began it, if observed: the fencing token. */
  readonly token: string | undefined;
}

export interface Gap {
  readonly from: number;
  readonly to: number;
}
