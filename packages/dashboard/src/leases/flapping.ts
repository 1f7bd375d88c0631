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
