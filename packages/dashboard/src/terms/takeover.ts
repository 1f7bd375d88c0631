import type { Term } from './term.js';

/** A change from one holder to the next. */
export interface Takeover {
  readonly at: number;
  readonly before: Term;
  readonly after: Term;
  /** How long nobody led: since the last renewal of a holder that let its time pass, and since the end of the term of any other. */
  readonly withoutLeaderMs: number;
}

/** The takeovers between consecutive terms of a lease. A holder that acquires its own lease again is not one unless time passed. */
export function takeoversOf(terms: readonly Term[]): Takeover[] {
  return terms.slice(1).flatMap((after, at): Takeover[] => {
    const before = terms[at];
    if (before?.to === undefined) return [];
    const since = before.reason === 'Expired' ? (before.renewedAt ?? before.to) : before.to;
    const withoutLeaderMs = Math.max(0, after.from - since);
    return before.holder === after.holder && withoutLeaderMs === 0 ? [] : [{ at: after.from, before, after, withoutLeaderMs }];
  });
}

/** The value below which this part of the values is; undefined without values. */
export function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}
