import { type Version, beginsTerm } from './history-violations.js';
import type { Reign } from './reigns-of.js';

/** A recorded term of a lease. Its times are texts of one length, in UTC. */
export interface Term {
  readonly token: bigint;
  readonly holder: string;
  readonly began: string;
  /** Null while it is open. */
  readonly until: string | null;
  readonly reason: string | null;
}

/** What a holder has said that it wrote. */
export type Belief = Pick<Reign, 'holder' | 'token'>;

/** Compares the recorded terms of one lease with its versions in the log, and with what its holders said when they had acquired it. */
export function termDisagreements(terms: readonly Term[], versions: readonly Version[], beliefs: readonly Belief[]): string[] {
  return [...withLog(terms, versions), ...withThemselves(terms), ...withBeliefs(terms, beliefs)];
}

/** A term of the log, and how it ended. */
type LoggedTerm = Pick<Version, 'revision' | 'holder'> & { readonly ended: 'Released' | 'Taken' | 'Held' };

function loggedTerms(versions: readonly Version[]): LoggedTerm[] {
  const terms = versions.flatMap((version, at) => (beginsTerm(version, versions[at - 1]) ? [{ ...version, at }] : []));
  return terms.map(({ revision, holder, at }, index) => {
    const nextAt = terms[index + 1]?.at;
    const wasReleased = versions.slice(at, nextAt).some((version) => version.holder === '');
    return { revision, holder, ended: wasReleased ? 'Released' : nextAt === undefined ? 'Held' : 'Taken' };
  });
}

function withLog(terms: readonly Term[], versions: readonly Version[]): string[] {
  const logged = loggedTerms(versions);
  const differing = logged.findIndex(({ revision, holder }, at) => terms[at]?.token !== revision || terms[at].holder !== holder);
  if (differing >= 0) return [`the term of ${logged[differing]?.holder} from ${logged[differing]?.revision} on is not recorded`];
  if (terms.length > logged.length) return [`${terms[logged.length]?.token} is recorded as a term, but the log has none`];
  return logged.flatMap(({ revision, ended }, at) => {
    const reason = terms[at]?.reason ?? 'Held';
    const next = terms[at + 1]?.holder;
    return isEnd(reason, ended, next)
      ? []
      : [`the term ${revision} has ended as ${reason}, but was ${ended} by the log${next ? ` before ${next}` : ''}`];
  });
}

/**
 * Client-go may be early (see historyViolations). Fabric8 goes by the time that the holder wrote, which for the server begins when it was received.
 * So the terms of their predecessors may end as `Replaced`.
 */
function isEnd(reason: string, ended: LoggedTerm['ended'], next: string | undefined): boolean {
  if (ended !== 'Taken') return reason === ended;
  return reason === 'Expired' || (reason === 'Replaced' && /^(go|fabric8)-/.test(next ?? ''));
}

/** How many terms began before the one before had ended. */
export function overlapsOf(terms: readonly Term[]): number {
  return terms.slice(1).filter(({ began }, at) => began < (terms[at]?.until ?? '~')).length;
}

function withThemselves(terms: readonly Term[]): string[] {
  return terms.flatMap(({ token, until, reason }, at) => {
    const next = terms[at + 1];
    if ((until === null) !== (reason === null)) return [`the term ${token} has ended as ${reason}, but at ${until}`];
    if (until === null) return next ? [`the term ${token} has not ended, but ${next.token} has begun`] : [];
    return next && next.began < until ? [`the term ${next.token} began before ${token} had ended`] : [];
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
