import type { Lease } from '../api/kubernetes-objects.js';

/** A lease and what this page has seen of it. Times are milliseconds on the server's clock. */
export interface ObservedLease {
  /** `namespace/name` */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly lease: Lease;
  /** '' where nobody holds it. */
  readonly holder: string;
  /** Undefined: it does not run out. */
  readonly durationMs: number | undefined;
  readonly transitions: number;
  /** When it was last renewed, by our own observation where there is one; undefined: never. */
  readonly renewedAt: number | undefined;
  /** Whether `renewedAt` was observed, and not read from the holder's clock. */
  readonly observed: boolean;
  /** How far the holder's clock is ahead of the server's; undefined until a renewal was observed. */
  readonly holderAheadMs: number | undefined;
  /** A smoothed time between renewals; undefined until two were observed. */
  readonly intervalMs: number | undefined;
  /** Renewals seen. */
  readonly renewals: number;
  /** When it changed hands, as far as seen; the latest ones. */
  readonly takeovers: readonly number[];
  /** Who held it, the latest ones, in order. */
  readonly terms: readonly Term[];
  /** Times without a renewal that were too long, the latest ones, in order. */
  readonly gaps: readonly Gap[];
}

/** A time with one holder, or with none (''). */
export interface Term {
  readonly holder: string;
  readonly from: number;
  /** Undefined: it goes on. */
  readonly to: number | undefined;
  /** The version of the write that began it, where it was seen: the fencing token. */
  readonly token: string | undefined;
}

export interface Gap {
  readonly from: number;
  readonly to: number;
}
