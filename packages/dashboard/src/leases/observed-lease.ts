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

/**
 * `held`: renewed in time; `due`: the renewal is so late that client-go's elector would have stopped leading (10 s of 15 s by
 * default); `expired`: any candidate may take it; `released`: the holder released it; `never-held`: created, but never held.
 */
export type LeaseState = 'held' | 'due' | 'expired' | 'released' | 'never-held';

/** The fraction of its duration after which a renewal is late. */
export const DUE_PART = 2 / 3;

type Timed = Pick<ObservedLease, 'holder' | 'durationMs' | 'renewedAt' | 'lease'>;

export function leaseState(lease: Timed, now: number): LeaseState {
  if (lease.holder === '') return wasHeld(lease) ? 'released' : 'never-held';
  const part = agePart(lease, now);
  if (part === undefined || part < DUE_PART) return 'held';
  return part < 1 ? 'due' : 'expired';
}

/** The fraction of its duration that has passed since the last renewal; undefined if the lease does not expire. */
function agePart({ durationMs, renewedAt }: Timed, now: number): number | undefined {
  if (durationMs === undefined || durationMs <= 0 || renewedAt === undefined) return undefined;
  return Math.max(0, now - renewedAt) / durationMs;
}

function wasHeld({ lease: { spec = {} } }: Timed): boolean {
  return Boolean(spec.renewTime ?? spec.acquireTime) || (spec.leaseTransitions ?? 0) > 0;
}

const FLAPPING_MS = 10 * 60_000;
const FLAPPING_CHANGES = 3;

interface Tenure {
  /** '' while nobody held the lease. */
  readonly holder: string;
  readonly from: number;
}

/**
 * Whether the holder changed three times within the last ten minutes, by all that is known of the holders, in order. A holder that takes its
 * own lease again is no change.
 */
export function isFlapping(tenures: readonly Tenure[], now: number): boolean {
  let changes = 0;
  let next: Tenure | undefined;
  for (let at = tenures.length - 1; at >= 0; at--) {
    const tenure = tenures[at];
    if (!tenure || tenure.holder === '') continue;
    if (next && next.holder !== tenure.holder && ++changes === FLAPPING_CHANGES) return true;
    // The change that begins this tenure is too old, and so are all before it.
    if (now - tenure.from >= FLAPPING_MS) return false;
    next = tenure;
  }
  return false;
}
