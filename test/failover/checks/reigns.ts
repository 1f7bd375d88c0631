import type { Reign } from '../../clients/race/reigns-of.js';
import type { Violation } from '../history.js';

/** Time for a line to pass from the program's pipe to this process. */
const PIPE_MS = 50;

export interface Overlap {
  readonly earlier: Reign;
  readonly later: Reign;
  readonly ms: number;
}

export interface ReignRules {
  readonly synchronous: boolean;
  /** Time within which a holder learns, at its next renewal or by its clock, that it no longer holds the lease. */
  readonly learnsWithinMs: number;
}

/** Periods in which two processes believed that they held the lease. */
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
 * With synchronous replication there is never more than one holder. With asynchronous replication an acquisition can be lost and another
 * process can acquire the lease again; its token is then the greater one, and the earlier holder learns of its loss.
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
    if (!earlier || (later.token ?? 0n) > (earlier.token ?? 0n)) return [];
    const text = `${later.holder} leads with token ${later.token} after ${earlier.holder} with ${earlier.token}`;
    return [{ kind: 'token back', at: later.from, text }];
  });
  return [...double, ...tokens];
}
