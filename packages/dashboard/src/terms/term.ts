import type { LeaseTerm } from '../api/kubernetes-objects.js';
import { timeOf } from '../leases/observe-lease.js';
import { type ObservedLease, leaseState } from '../leases/observed-lease.js';
import { showText } from '../text/show-text.js';

/** The time during which one holder had a lease, by the server's history or by this tab's observation. Times in milliseconds. */
export interface Term {
  /** Never ''. */
  readonly holder: string;
  /** The fencing token; undefined if nobody has seen the write that began the term. */
  readonly token: string | undefined;
  readonly from: number;
  /** Whether it may have begun before `from`, the earliest moment at which this tab knows of it. */
  readonly beganEarlier?: boolean;
  /** Undefined: it lasts. */
  readonly to: number | undefined;
  /** How it ended, in the server's word; '' while it lasts, and if only this tab has seen it. */
  readonly reason: string;
  /** The last renewal of an ended term; undefined: unknown. */
  readonly renewedAt: number | undefined;
  /** When the holder was last late; undefined: never, or unknown. */
  readonly lapsedAt: number | undefined;
  /** Whether its time is over now, or was when it ended. */
  readonly lapsed: boolean;
  /** How many times its time was over. */
  readonly lapses: number;
}

/** Terms as the server lists them, in the order of their beginnings. Those without a beginning are left out. */
export function termsOf(items: readonly LeaseTerm[]): Term[] {
  const terms = items.flatMap((item): Term[] => {
    const { spec = {}, status = {} } = item;
    const from = timeOf(spec.from);
    if (from === undefined || !spec.holder) return [];
    return [
      {
        holder: spec.holder,
        token: spec.fencingToken,
        from,
        to: timeOf(status.until),
        reason: status.reason ?? '',
        renewedAt: renewalOf(timeOf(status.lastRenewTime), from, timeOf(status.until)),
        lapsedAt: timeOf(status.lapsedAt),
        lapsed: status.lapsed === true,
        lapses: status.lapses ?? 0,
      },
    ];
  });
  return terms.sort(inOrder);
}

/** Compares terms by their beginnings; of two that began at the same moment, by their tokens. */
export function inOrder(one: Term, other: Term): number {
  return one.from - other.from || Number(one.token) - Number(other.token);
}

/** The holder's clock may be wrong: its renewal was during its term. */
function renewalOf(renewed: number | undefined, from: number, to: number | undefined): number | undefined {
  return renewed === undefined ? undefined : Math.min(Math.max(renewed, from), to ?? Infinity);
}

const UNKNOWN = { renewedAt: undefined, lapsedAt: undefined, lapsed: false, lapses: 0 };

/** Terms that this tab has observed. */
export function seenTerms({ terms }: Pick<ObservedLease, 'terms'>): Term[] {
  return terms.flatMap(({ holder, ...seen }) => (holder === '' ? [] : [{ holder, ...seen, reason: '', ...UNKNOWN }]));
}

/** Recorded terms, and those after them that this tab has seen by now. */
export function withSeen(recorded: readonly Term[], seen: readonly Term[]): readonly Term[] {
  const last = recorded.at(-1);
  const newer = seen.filter(({ token }) => last === undefined || Number(token ?? 0) > Number(last.token));
  const [next] = newer;
  if (!next) return recorded;
  const ended = last?.to === undefined && last ? [...recorded.slice(0, -1), { ...last, to: next.from }] : recorded;
  return [...ended, ...newer];
}

/** Changes whenever the server may have begun, ended or marked a term of a lease. */
export function termMark(lease: ObservedLease | undefined, now: number): string {
  if (!lease) return '';
  const { holder, transitions } = lease;
  return `${lease.lease.metadata.uid ?? ''} ${transitions} ${leaseState(lease, now) === 'expired'} ${holder}`;
}

/**
 * When a lease that nobody holds was released, as this tab has seen or the server has recorded with its last term; undefined if that is unknown.
 * The lease does not tell: its renewTime is that of the release if the holder was an elector, and of the last renewal if somebody only removed
 * the holder.
 */
export function releasedAt(
  { holder, terms }: Pick<ObservedLease, 'holder' | 'terms'>,
  last: Pick<Term, 'to' | 'reason'> | undefined,
): number | undefined {
  if (holder !== '') return undefined;
  if (terms.length > 1) return terms.at(-1)?.from;
  return last && ['Released', 'Forced', 'HandedOver'].includes(last.reason ?? '') ? last.to : undefined;
}

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

const REASONS = new Map([
  ['Released', 'released'],
  ['Forced', 'forced open by somebody else'],
  ['HandedOver', 'handed over'],
  ['Expired', 'expired, then taken'],
  ['Replaced', 'taken before its time was over'],
  ['Deleted', 'the lease was deleted'],
  ['Unknown', 'end not recorded'],
]);

/** How a term ended, in words. */
export function showReason(reason: string): string {
  return REASONS.get(reason) ?? showText(reason);
}

/** How often a holder's time was over, and when last. */
export function showLapses(lapses: number, last: string): string {
  return lapses > 1 ? `lapsed ${lapses} times, last at ${last}` : `lapsed at ${last}`;
}
