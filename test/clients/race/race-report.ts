import type { Accepted } from './fenced-tables.js';
import { type Version, beginsTerm, historyViolations } from './history-violations.js';
import type { Kind } from './kinds.js';
import { OVERSTAY_LIMITS } from './overstay-limits.js';
import type { Overstay } from './overstays.js';
import type { WriteFigures } from './recipe-table.js';
import { type Belief, type Term, overlapsOf, termDisagreements } from './term-disagreements.js';
import type { Writes } from './writes-of.js';

export const LEASE_MS = 3000;

/** What is known of one lease after a race. */
export interface LeaseEvidence {
  readonly lease: string;
  /** From the log. */
  readonly versions: readonly Version[];
  /** What a watch over HTTP has delivered, from a server that the contestants do not use. */
  readonly watched: readonly Version[];
  readonly accepted: Accepted;
  /** As the server recorded them, in SQL. */
  readonly recorded: readonly Term[];
  /** The same as the other server lists them. */
  readonly served: readonly Term[];
  /** What holders have printed when they had acquired the lease. */
  readonly beliefs: readonly Belief[];
  /** Writes to the lease of which their holders were told. */
  readonly acknowledged: readonly Belief[];
  readonly overstays: readonly Overstay[];
  /** Holders that were told to stop while they led. */
  readonly toldToStop: readonly string[];
}

export interface RaceReport {
  readonly seconds: number;
  readonly processes: number;
  readonly kinds: readonly Kind[];
  readonly disturbances: Readonly<Record<string, number>>;
  /** Those of contestants that led. */
  readonly ofLeaders: Readonly<Record<string, number>>;
  readonly versions: number;
  /** Recorded terms, which agree with the log and with what holders believed unless `failures` says otherwise. */
  readonly recorded: number;
  /** By kind of the holder. */
  readonly terms: Readonly<Record<Kind, number>>;
  /** The longest overstay by kind of the holder, in milliseconds. */
  readonly overstays: Readonly<Record<Kind, number>>;
  readonly writes: Writes;
  /** Those by the contestants themselves. */
  readonly byHolders: Writes;
  /** Rows of the fenced tables that were acknowledged and are missing; each is one of the failures, too. */
  readonly lost: readonly string[];
  /** How often which error was told to electors of packages/leader-election. */
  readonly errors: Readonly<Record<string, number>>;
  /** Terms that were handed over, because they were over or another contender was preferred, as their holders have told. */
  readonly handOvers: HandOvers;
  /** Writes under the recipe of packages/leader-election. */
  readonly byRecipe: WriteFigures;
  /** Rows of the fenced tables; more than the writers were told of, since some were killed before the answer. */
  readonly accepted: number;
  /** Terms that began before the one before had ended; each is one of the failures, too. */
  readonly overlaps: number;
  /** Accepted writes that followed one under a greater token; each is one of the failures, too. */
  readonly stale: number;
  /** Every violation; empty for a race that has passed. */
  readonly failures: readonly string[];
}

export type HandOvers = Readonly<Record<'longest term' | 'preferred', number>>;

/** By the last lines of terms: `lost ID WHY` of the package, and what `elect` tells. */
export function handOversIn(lines: readonly string[]): HandOvers {
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return {
    'longest term': count(/^lost \S+ max-term$|: the longest term is over:/),
    preferred: count(/^lost \S+ preferred$| is preferred:/),
  };
}

type Run = Pick<
  RaceReport,
  'seconds' | 'processes' | 'kinds' | 'disturbances' | 'ofLeaders' | 'writes' | 'byHolders' | 'lost' | 'byRecipe' | 'errors' | 'handOvers'
>;

const kindOf = (holder: string): Kind => holder.split('-')[0] as Kind;

/** Judges a race by what database, watch and holders say of it. */
export function raceReport(run: Run, evidence: readonly LeaseEvidence[], lastDisagreements: readonly string[]): RaceReport {
  const sum = (of: (lease: LeaseEvidence) => number) => evidence.reduce((all, each) => all + of(each), 0);
  const figures = {
    versions: sum(({ versions }) => versions.length),
    recorded: sum(({ recorded }) => recorded.length),
    terms: termsByKind(run.kinds, evidence),
    overstays: overstaysByKind(run.kinds, evidence),
    accepted: sum(({ accepted }) => accepted.count),
    overlaps: sum(({ recorded }) => overlapsOf(recorded)),
    stale: sum(({ accepted }) => accepted.stale),
  };
  const failures = [
    ...evidence.flatMap((each) => failuresOf(each).map((failure) => `${each.lease}: ${failure}`)),
    ...Object.entries(figures.terms).flatMap(([kind, count]) => (count > 0 ? [] : [`no ${kind} candidate ever led`])),
    ...(evidence.every(({ toldToStop }) => toldToStop.length === 0) || evidence.some(someReleased)
      ? []
      : ['no holder that was told to stop released its lease']),
    ...(run.kinds.some((kind) => kind.endsWith('term')) ? Object.entries(run.handOvers) : []).flatMap(([why, count]) =>
      count > 0 ? [] : [`no term was handed over: ${why}`],
    ),
    ...(figures.accepted > 0 ? [] : ['no write was accepted']),
    ...(run.writes.stale > 0 ? [] : ['no stale write was tried']),
    ...run.lost.map((position) => `the row at ${position} was acknowledged, but is missing`),
    ...(run.byRecipe.staleAccepted === 0 ? [] : [`${run.byRecipe.staleAccepted} stale writes were accepted by the recipe`]),
    ...(run.byRecipe.refused > 0 ? [] : ['no stale write was tried under the recipe']),
    ...lastDisagreements,
  ];
  return { ...run, ...figures, failures };
}

function someReleased({ recorded, toldToStop }: LeaseEvidence): boolean {
  return recorded.some(({ holder, reason }) => reason === 'Released' && toldToStop.some((name) => holder.startsWith(name)));
}

function termsByKind(kinds: readonly Kind[], evidence: readonly LeaseEvidence[]): Record<Kind, number> {
  const terms = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  for (const { versions } of evidence) {
    versions.forEach((version, at) => {
      if (beginsTerm(version, versions[at - 1])) terms[kindOf(version.holder)]++;
    });
  }
  return terms;
}

function overstaysByKind(kinds: readonly Kind[], evidence: readonly LeaseEvidence[]): Record<Kind, number> {
  const longest = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  for (const { holder, ms } of evidence.flatMap(({ overstays }) => overstays)) {
    longest[kindOf(holder)] = Math.max(longest[kindOf(holder)], Math.round(ms));
  }
  return longest;
}

function failuresOf({ versions, watched, accepted, recorded, served, beliefs, acknowledged, overstays }: LeaseEvidence): string[] {
  const holders = new Map(versions.map(({ revision, holder }) => [revision, holder]));
  const late = overstays.filter(({ holder, ms }) => ms > (OVERSTAY_LIMITS[kindOf(holder)] ?? Infinity));
  return [
    ...historyViolations(versions, LEASE_MS),
    ...(accepted.stale === 0 ? [] : [`${accepted.stale} stale writes were accepted`]),
    ...termDisagreements(recorded, versions, beliefs),
    ...[...beliefs, ...acknowledged]
      .filter(({ holder, token }) => token !== undefined && holders.get(token) !== holder)
      .map(({ holder, token }) => `${holder} got ${token}, no write of its own`),
    ...accepted.tokens.filter(({ token }) => !holders.get(token)).map(({ token, writer }) => `${writer} wrote under ${token}, no term's`),
    ...difference('the watch', watched.map(versionText), 'the log', versions.map(versionText)),
    ...difference('the API', served.map(termText), 'the view', recorded.map(termText)),
    ...late.map(({ holder, ms }) => `${holder} believed to lead for ${ms.toFixed(0)} ms after it had lost the lease`),
  ];
}

/** Where two lists begin to differ. */
function difference(name: string, some: readonly string[], otherName: string, others: readonly string[]): string[] {
  const at = Array.from({ length: Math.max(some.length, others.length) }, (_, index) => index).find(
    (index) => some[index] !== others[index],
  );
  return at === undefined ? [] : [`${name} has ${some[at] ?? 'nothing more'} where ${otherName} has ${others[at] ?? 'nothing more'}`];
}

function versionText({ revision, holder, transitions, acquireTime, renewTime }: Version): string {
  return [revision, holder, transitions, acquireTime, renewTime].join(' ');
}

function termText({ token, holder, began, until, reason }: Term): string {
  return [token, holder, began, until ?? '', reason ?? 'Held'].join(' ');
}
