import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';

/** A term as commands show it. */
export interface TermOfHistory {
  readonly holder: string;
  readonly from: string;
  /** Absent while it lasts. */
  readonly until?: string;
  readonly durationMs: number;
  /** Why it ended. */
  readonly reason?: string;
  /** How long nobody had held the lease before; absent for the first known term. */
  readonly gapMs?: number;
  readonly fencingToken: string;
  /** Whether the holder is late, or was at the end. */
  readonly lapsed?: true;
  /** How many times the holder was late. */
  readonly lapses?: number;
}

/** Who held a lease at one time. Nobody: `holder` is empty, and `from` and `until` are the end and the beginning of the nearest known terms. */
export interface LeaderAt {
  readonly holder: string;
  readonly fencingToken?: string;
  readonly from?: string;
  readonly until?: string;
  readonly reason?: string;
  /** Since when the holder had been late with its renewal, if it was at that time. */
  readonly expired?: string;
}

/** `terms` in the order of their tokens; `now` is for the one that lasts. */
export function historyOf(terms: readonly LeaseTerm[], now: number): TermOfHistory[] {
  return terms.map(({ spec, status }, at) => {
    const from = beginning(terms[at]);
    const before = terms[at - 1]?.status.until;
    return {
      holder: spec.holder,
      from: spec.from ?? '',
      ...(status.until && { until: status.until }),
      durationMs: Math.max(0, (status.until ? Date.parse(status.until) : now) - from),
      ...(status.reason && { reason: status.reason }),
      ...(before && { gapMs: Math.max(0, from - Date.parse(before)) }),
      fencingToken: spec.fencingToken,
      ...(status.lapsed && { lapsed: true as const }),
      ...(status.lapses && { lapses: status.lapses }),
    };
  });
}

/** `terms` in the order of their tokens. */
export function leaderAt(terms: readonly LeaseTerm[], at: number): LeaderAt {
  const index = terms.findLastIndex((term) => beginning(term) <= at);
  const term = terms[index];
  const until = term?.status.until ?? undefined;
  if (term && (until === undefined || at < Date.parse(until))) {
    const { holder, fencingToken, from } = term.spec;
    const expired = lapsedBy(term, at);
    return { holder, fencingToken, from: from ?? '', ...(until && { until, reason: term.status.reason }), ...(expired && { expired }) };
  }
  const next = terms[index + 1]?.spec.from;
  return { holder: '', ...(until && { from: until }), ...(next && { until: next }) };
}

/** When the holder's time was over, if it was at that time and has not been renewed since. */
function lapsedBy({ status: { lapsed, lapsedAt } }: LeaseTerm, at: number): string | undefined {
  return lapsed && lapsedAt && Date.parse(lapsedAt) <= at ? lapsedAt : undefined;
}

function beginning(term: LeaseTerm | undefined): number {
  return Date.parse(term?.spec.from ?? '');
}
