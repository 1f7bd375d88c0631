import type { Reign, Violation } from '../history.js';

/** What a line needs from the program's pipe to this process. */
const PIPE_MS = 50;

export interface Overlap {
  readonly earlier: Reign;
  readonly later: Reign;
  readonly ms: number;
}

export interface ReignRules {
  readonly synchronous: boolean;
  /** The time within which a holder finds out at his next renewal, or by his clock, that he holds nothing any more. */
  readonly learnsWithinMs: number;
}

/** Times at which two believed to hold the lease. */
export function overlaps(reigns: readonly Reign[]): Overlap[] {
  const ordered = [...reigns].sort((a, b) => a.from - b.from);
  return ordered.flatMap((earlier, at) =>
    ordered.slice(at + 1).flatMap((later) => {
      const ms = Math.min(earlier.until, later.until) - later.from;
      return earlier.holder !== later.holder && ms > PIPE_MS ? [{ earlier, later, ms }] : [];
    }),
  );
}

/**
 * With synchronous replication there is never more than one holder. With asynchronous replication an acquisition can be lost and made
 * again by somebody else; then his token is the greater one, and the earlier holder learns of it.
 */
export function reignViolations(reigns: readonly Reign[], { synchronous, learnsWithinMs }: ReignRules): Violation[] {
  const double = overlaps(reigns).flatMap(({ earlier, later, ms }) => {
    const text = `${earlier.holder} and ${later.holder} for ${Math.round(ms)} ms`;
    if (synchronous) return [{ kind: 'two holders', at: later.from, text }];
    return ms > learnsWithinMs ? [{ kind: 'holder not told', at: later.from, text }] : [];
  });
  const ordered = reigns.filter(({ token }) => token !== undefined).sort((a, b) => a.from - b.from);
  const tokens = ordered.slice(1).flatMap((later, at) => {
    const earlier = ordered[at];
    if (!earlier || (later.token ?? 0) > (earlier.token ?? 0)) return [];
    const text = `${later.holder} leads with token ${later.token} after ${earlier.holder} with ${earlier.token}`;
    return [{ kind: 'token back', at: later.from, text }];
  });
  return [...double, ...tokens];
}
