import type { Accepted } from './fenced-tables.js';
import { type Version, beginsTerm, historyViolations } from './history-violations.js';
import type { Belief, Kind, Writes } from './race-contestant.js';
import { type Term, overlapsOf, termDisagreements } from './term-disagreements.js';

export const LEASE_MS = 3000;

/** What is known of one lease after a race. */
export interface LeaseEvidence {
  readonly lease: string;
  /** From the log. */
  readonly versions: readonly Version[];
  /** The revisions that a watch over HTTP has delivered. */
  readonly watched: readonly bigint[];
  readonly accepted: Accepted;
  /** As the server recorded them. */
  readonly recorded: readonly Term[];
  /** What holders have printed. */
  readonly beliefs: readonly Belief[];
}

export interface RaceReport {
  readonly seconds: number;
  readonly processes: number;
  readonly kinds: readonly Kind[];
  readonly disturbances: Readonly<Record<string, number>>;
  readonly versions: number;
  /** Recorded terms, which agree with the log and with what holders believed unless `failures` says otherwise. */
  readonly recorded: number;
  /** By kind of the holder. */
  readonly terms: Readonly<Record<Kind, number>>;
  readonly writes: Writes;
  /** Those by the contestants themselves. */
  readonly byHolders: Writes;
  /** Rows of the fenced tables; more than the writers were told of, since some were killed before the answer. */
  readonly accepted: number;
  /** Terms that began before the one before had ended; each is one of the failures, too. */
  readonly overlaps: number;
  /** Accepted writes that followed one under a greater token; each is one of the failures, too. */
  readonly stale: number;
  /** Every violation; empty for a race that has passed. */
  readonly failures: readonly string[];
}

/** Judges a race by what database, watch and holders say of it. */
export function raceReport(
  run: Pick<RaceReport, 'seconds' | 'processes' | 'kinds' | 'disturbances' | 'writes' | 'byHolders'>,
  evidence: readonly LeaseEvidence[],
  lastDisagreements: readonly string[],
): RaceReport {
  const terms = Object.fromEntries(run.kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  for (const { versions } of evidence) {
    versions.forEach((version, at) => {
      if (beginsTerm(version, versions[at - 1])) terms[version.holder.split('-')[0] as Kind]++;
    });
  }
  const accepted = evidence.reduce((all, each) => all + each.accepted.count, 0);
  const failures = [
    ...evidence.flatMap((each) => failuresOf(each).map((failure) => `${each.lease}: ${failure}`)),
    ...Object.entries(terms).flatMap(([kind, count]) => (count > 0 ? [] : [`no ${kind} candidate ever led`])),
    ...(accepted > 0 ? [] : ['no write was accepted']),
    ...(run.writes.stale > 0 ? [] : ['no stale write was tried']),
    ...lastDisagreements,
  ];
  const versions = evidence.reduce((all, each) => all + each.versions.length, 0);
  const recorded = evidence.reduce((all, each) => all + each.recorded.length, 0);
  const overlaps = evidence.reduce((all, each) => all + overlapsOf(each.recorded), 0);
  const stale = evidence.reduce((all, each) => all + each.accepted.stale, 0);
  return { ...run, versions, recorded, terms, accepted, overlaps, stale, failures };
}

function failuresOf({ versions, watched, accepted, recorded, beliefs }: LeaseEvidence): string[] {
  const holders = new Map(versions.map(({ revision, holder }) => [revision, holder]));
  const unseen = versions.filter(({ revision }, at) => watched[at] !== revision);
  return [
    ...historyViolations(versions, LEASE_MS),
    ...(accepted.stale === 0 ? [] : [`${accepted.stale} stale writes were accepted`]),
    ...termDisagreements(recorded, versions, beliefs),
    ...beliefs
      .filter(({ holder, token }) => token !== undefined && holders.get(token) !== holder)
      .map(({ holder, token }) => `${holder} got ${token}, no write of its own`),
    ...accepted.tokens.filter(({ token }) => !holders.get(token)).map(({ token, writer }) => `${writer} wrote under ${token}, no term's`),
    ...(unseen.length === 0 && watched.length === versions.length
      ? []
      : [`the watch differs from the log at ${unseen[0]?.revision ?? 'its end'}`]),
  ];
}
