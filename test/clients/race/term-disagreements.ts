import { type Version, beginsTerm } from './history-violations.js';
import type { Belief } from './race-contestant.js';

/** A recorded term of a lease. */
export interface Term {
  readonly token: bigint;
  readonly holder: string;
  readonly began: Date;
  /** Null while it is open. */
  readonly until: Date | null;
  readonly reason: string | null;
}

/** Compares the recorded terms of one lease with its versions in the log, and with what its holders said when they had acquired it. */
export function termDisagreements(terms: readonly Term[], versions: readonly Version[], beliefs: readonly Belief[]): string[] {
  return [...withLog(terms, versions), ...withThemselves(terms), ...withBeliefs(terms, beliefs)];
}

function withLog(terms: readonly Term[], versions: readonly Version[]): string[] {
  const logged = versions.filter((version, at) => beginsTerm(version, versions[at - 1]));
  const differing = logged.findIndex(({ revision, holder }, at) => terms[at]?.token !== revision || terms[at].holder !== holder);
  if (differing >= 0) return [`the term of ${logged[differing]?.holder} from ${logged[differing]?.revision} on is not recorded`];
  return terms.length > logged.length ? [`${terms[logged.length]?.token} is recorded as a term, but the log has none`] : [];
}

/** How many terms began before the one before had ended. */
export function overlapsOf(terms: readonly Term[]): number {
  return terms.slice(1).filter(({ began }, at) => began < (terms[at]?.until ?? new Date(8.64e15))).length;
}

/** Client-go may be early, so that its predecessor's term ends as `Replaced`. */
function withThemselves(terms: readonly Term[]): string[] {
  return terms.flatMap(({ token, until, reason }, at) => {
    const next = terms[at + 1];
    if (until === null) return next ? [`the term ${token} has not ended, but ${next.token} has begun`] : [];
    if (next && next.began < until) return [`the term ${next.token} began before ${token} had ended`];
    const known = reason === 'Released' || reason === 'Expired' || (reason === 'Replaced' && next?.holder.startsWith('go-'));
    return known ? [] : [`the term ${token} has ended as ${reason}`];
  });
}

function withBeliefs(terms: readonly Term[], beliefs: readonly Belief[]): string[] {
  const holders = new Set(terms.map(({ holder }) => holder));
  return beliefs.flatMap(({ holder, token }) => {
    if (!holders.has(holder)) return [`${holder} believed to lead, but never had a term`];
    if (token === undefined) return [];
    const term = terms.findLast((each) => each.token <= token);
    return term?.holder === holder ? [] : [`${holder} led under ${token}, which is in no term of its own`];
  });
}
