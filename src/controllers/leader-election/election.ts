import { fromMicros, microsOf } from '../../apimachinery/go/go-time.js';
import { type SemanticVersion, ZERO_VERSION, compareVersions, parseTolerantVersion } from '../../apimachinery/version/semantic-version.js';
import { preferredStrategies } from '../../apis/coordination/lease-candidate/lease-candidate-v1alpha1.conversion.js';
import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import { OLDEST_EMULATION_VERSION } from '../../apis/coordination/lease-strategy.validation.js';
import type { LeaseSpec } from '../../apis/coordination/lease/lease.schema.js';

const SECOND = 1_000_000;
/** How long a candidate may take to answer a ping, and how long an answer is valid. */
const ANSWER_TIME = 5 * SECOND;
/** How long an unanswered ping keeps triggering elections, each of which pings all candidates. */
const GIVE_UP_TIME = 60 * SECOND;
/** How long a candidate is valid after its last renewal. */
const CANDIDATE_VALID = 30 * 60 * SECOND;
/** Duration of a new lease, until its holder writes its own. */
const LEASE_SECONDS = 5;

/** The result of an election. Without an electee, the strategy is not ours and another component chooses. */
export interface Election {
  readonly strategy: string;
  readonly electee?: string;
}

/** The next step for a lease. `rest`: nothing until something changes; `wait`: evaluate again later. */
export type ElectionStep =
  | { readonly kind: 'rest' | 'wait' }
  | { readonly kind: 'ping'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'elect'; readonly election: Election }
  | { readonly kind: 'problem'; readonly problem: string };

/**
 * Computes one step of an election (kubernetes pkg/controlplane/controller/leaderelection, reconcileElectionStep). A pure function of
 * lease, candidates and time (in microseconds); no state is kept between steps.
 */
export function electionStep(candidates: readonly Candidate[], lease: LeaseSpec | undefined, now: number): ElectionStep {
  const live = candidates.filter((candidate) => !isCandidateExpired(candidate, now));
  if (live.length === 0) return { kind: 'rest' };
  const before = stepBeforeElection(live, lease, now);
  if (before) return before;
  const states = live.map((candidate) => ({ candidate, state: answerState(candidate, now) }));
  const inState = (wanted: AnswerState) => states.filter(({ state }) => state === wanted).map(({ candidate }) => candidate);
  const toPing = inState('stale');
  if (toPing.length > 0) return { kind: 'ping', candidates: toPing };
  if (inState('asked').length > 0) return { kind: 'wait' };
  return elect(inState('fresh'));
}

/** Whether a candidate is no longer valid and may be deleted. */
export function isCandidateExpired({ renewTime }: Pick<Candidate, 'renewTime'>, now: number): boolean {
  return renewTime === undefined || renewTime + CANDIDATE_VALID < now;
}

/** Whether the holder of a lease has failed to renew it in time. */
export function isLeaseExpired({ renewTime, leaseDurationSeconds }: LeaseSpec, now: number): boolean {
  const renewed = microsOf(renewTime);
  return renewed === undefined || leaseDurationSeconds === undefined || renewed + leaseDurationSeconds * SECOND < now;
}

/** The spec of a new lease for the elected candidate. */
export function newLease({ strategy, electee }: Election, now: number): LeaseSpec {
  const holder = electee === undefined ? {} : { holderIdentity: electee };
  return { ...holder, leaseDurationSeconds: LEASE_SECONDS, renewTime: fromMicros(now), strategy };
}

/**
 * The changed spec of an existing lease, or undefined if nothing changes. A holder whose lease is still valid keeps it and is told of a
 * better candidate in preferredHolder. An absent holder counts as ''.
 */
export function changedLease(lease: LeaseSpec, { strategy, electee }: Election, now: number): LeaseSpec | undefined {
  const holder = lease.holderIdentity ?? '';
  const changed = lease.strategy === strategy ? lease : { ...lease, strategy };
  if (electee !== undefined && (holder === '' || (isLeaseExpired(lease, now) && isStuck(lease, electee)))) {
    const { preferredHolder: _preferred, acquireTime: _acquired, ...kept } = changed;
    return { ...kept, holderIdentity: electee, leaseDurationSeconds: LEASE_SECONDS, renewTime: fromMicros(now) };
  }
  if (electee !== undefined && electee !== holder && electee !== lease.preferredHolder) return { ...changed, preferredHolder: electee };
  return changed === lease ? undefined : changed;
}

/**
 * Whether an expired lease must be reset: for another holder, or for one that was asked to step down in favour of a candidate that is no
 * longer the best. Upstream leaves the latter alone, and nobody ever renews it.
 */
function isStuck({ holderIdentity, preferredHolder }: LeaseSpec, electee: string): boolean {
  return holderIdentity !== electee || Boolean(preferredHolder);
}

/** Returns the step to take without an election; undefined if an election is due. */
function stepBeforeElection(live: readonly Candidate[], lease: LeaseSpec | undefined, now: number): ElectionStep | undefined {
  if (!lease || isLeaseExpired(lease, now) || !lease.holderIdentity) return undefined;
  if (live.some((candidate) => isHalfExpired(candidate, now))) return undefined;
  const choice = pickStrategy(live);
  if ('problem' in choice) return { kind: 'problem', problem: choice.problem };
  if (choice.strategy !== OLDEST_EMULATION_VERSION) return { kind: 'wait' };
  const best = pickOldestEmulationVersion(live.filter((candidate) => mayBeElected(candidate, lease, now)));
  return !best || best.name === lease.holderIdentity ? { kind: 'wait' } : undefined;
}

/** A holder that keeps renewing its lease does not lose it because its candidate does not answer pings. */
function mayBeElected(candidate: Candidate, { holderIdentity }: LeaseSpec, now: number): boolean {
  return candidate.name === holderIdentity || !isGivenUp(candidate, now);
}

/** Candidates past half their lifetime are pinged, so that live ones are not deleted. */
function isHalfExpired(candidate: Candidate, now: number): boolean {
  const { renewTime = now } = candidate;
  return renewTime + CANDIDATE_VALID / 2 < now && !isGivenUp(candidate, now);
}

/**
 * A candidate whose ping went unanswered long ago triggers no election, because that would skip it anyway. Upstream would ping all the
 * others every few seconds for as long as the candidate is valid.
 */
function isGivenUp(candidate: Candidate, now: number): boolean {
  return answerState(candidate, now) === 'silent' && (believablePing(candidate, now) ?? 0) + GIVE_UP_TIME <= now;
}

/** `fresh`: answered recently; `asked`: pinged and may still answer; `stale`: must be pinged; `silent`: pinged and did not answer. */
type AnswerState = 'fresh' | 'asked' | 'stale' | 'silent';

function answerState(candidate: Candidate, now: number): AnswerState {
  const { renewTime = 0 } = candidate;
  const pingTime = believablePing(candidate, now);
  const answered = pingTime === undefined || renewTime >= pingTime;
  if (!answered && pingTime + ANSWER_TIME > now) return 'asked';
  if (renewTime + ANSWER_TIME > now) return 'fresh';
  return answered ? 'stale' : 'silent';
}

/**
 * Ignores a ping time further in the future than a candidate's lifetime, which this server cannot have written; upstream would wait for it.
 */
function believablePing({ pingTime }: Candidate, now: number): number | undefined {
  return pingTime !== undefined && pingTime <= now + CANDIDATE_VALID ? pingTime : undefined;
}

function elect(candidates: readonly Candidate[]): ElectionStep {
  if (candidates.length === 0) return { kind: 'problem', problem: 'no available candidates' };
  const choice = pickStrategy(candidates);
  if ('problem' in choice) return { kind: 'problem', problem: choice.problem };
  const { strategy } = choice;
  if (strategy !== OLDEST_EMULATION_VERSION) return { kind: 'elect', election: { strategy } };
  const best = pickOldestEmulationVersion(candidates);
  if (!best) return { kind: 'problem', problem: 'no candidate has readable versions' };
  return { kind: 'elect', election: { strategy, electee: best.name } };
}

/** The strategy of an election, or why there is none. */
export type StrategyChoice = { readonly strategy: string } | { readonly problem: string };

/**
 * Picks the strategy of an election. If every candidate names a single strategy, that of the newest binary wins, and newest binaries that
 * differ are a conflict (kubernetes pkg/controlplane/controller/leaderelection/election.go). If a candidate lists several, the lists are
 * merged as in v1alpha1. Candidates without a strategy are ignored.
 */
export function pickStrategy(candidates: readonly Candidate[]): StrategyChoice {
  const voters = candidates
    .map((candidate) => ({ candidate, strategies: [...new Set(candidate.strategies)] }))
    .filter(({ strategies }) => strategies.length > 0);
  if (voters.length === 0) return { problem: 'no candidate names a strategy' };
  if (voters.some(({ strategies }) => strategies.length > 1)) return mergeLists(voters.map(({ strategies }) => strategies));
  return strategyOfNewest(voters.map(({ candidate }) => candidate));
}

function strategyOfNewest(candidates: readonly Candidate[]): StrategyChoice {
  const versionOf = ({ binaryVersion }: Candidate) => binaryVersion ?? ZERO_VERSION;
  const newest = candidates.map(versionOf).reduce((a, b) => (compareVersions(a, b) < 0 ? b : a));
  const [first, ...others] = candidates.filter((candidate) => compareVersions(versionOf(candidate), newest) === 0);
  const strategy = first?.strategies[0] ?? '';
  const other = others.find(({ strategies }) => strategies[0] !== strategy);
  if (!other) return { strategy };
  return {
    problem: `candidates "${first?.name}", "${other.name}" at same binary version but with strategies ${strategy}, ${other.strategies[0]}`,
  };
}

/**
 * Merges preference lists: in each list the first goes before the rest. Picks the only strategy that none precedes, provided that the lists
 * do not contradict each other (kubernetes 1.31, topologicalSortWithOneRoot).
 */
function mergeLists(lists: readonly (readonly string[])[]): StrategyChoice {
  const after = new Map<string, Set<string>>();
  const nodeOf = (strategy: string): Set<string> => {
    const node = after.get(strategy) ?? new Set();
    after.set(strategy, node);
    return node;
  };
  for (const [first = '', ...rest] of lists) {
    const followers = nodeOf(first);
    for (const strategy of rest) {
      followers.add(strategy);
      nodeOf(strategy);
    }
  }
  const left = withoutOrdered(after);
  if (left.size > 0) return { problem: `the candidates' preferred strategies form a cycle: ${[...left].sort().join(', ')}` };
  const roots = rootsOf(after);
  const [strategy = ''] = roots;
  if (roots.length === 1) return { strategy };
  return { problem: `the candidates' preferred strategies have no common first choice: ${roots.sort().join(', ')}` };
}

function rootsOf(after: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...after.keys()].filter((strategy) => [...after.values()].every((followers) => !followers.has(strategy)));
}

/** Topological sort: removes nodes without predecessors repeatedly, and returns what remains, which are cycles and their successors. */
function withoutOrdered(after: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const left = new Map(after);
  for (let roots = rootsOf(left); roots.length > 0; roots = rootsOf(left)) {
    for (const root of roots) left.delete(root);
  }
  return new Set(left.keys());
}

/**
 * Elects by OldestEmulationVersion: the oldest emulation version, then the oldest binary version, then the oldest candidate; the first in
 * the list wins a tie. Candidates with unreadable versions are skipped (kubernetes pkg/controlplane/controller/leaderelection/election.go).
 */
export function pickOldestEmulationVersion(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    if (candidate.emulationVersion && candidate.binaryVersion && (!best || isBetter(candidate, best))) best = candidate;
  }
  return best;
}

function isBetter(candidate: Candidate, best: Candidate): boolean {
  const order =
    compareKnown(candidate.emulationVersion, best.emulationVersion) || compareKnown(candidate.binaryVersion, best.binaryVersion);
  return (order || candidate.created - best.created) < 0;
}

function compareKnown(a: Candidate['binaryVersion'], b: Candidate['binaryVersion']): number {
  return a && b ? compareVersions(a, b) : 0;
}

/** A candidate as an election sees it. Times are in microseconds. */
export interface Candidate {
  readonly name: string;
  readonly created: number;
  readonly pingTime?: number;
  readonly renewTime?: number;
  /** Undefined if it cannot be parsed. */
  readonly binaryVersion?: SemanticVersion;
  readonly emulationVersion?: SemanticVersion;
  /** Preferred first. */
  readonly strategies: readonly string[];
}

export function candidateOf(object: LeaseCandidate): Candidate {
  const { metadata, spec } = object;
  return {
    name: metadata.name ?? '',
    created: (Date.parse(metadata.creationTimestamp ?? '') || 0) * 1000,
    pingTime: microsOf(spec.pingTime),
    renewTime: microsOf(spec.renewTime),
    binaryVersion: parseTolerantVersion(spec.binaryVersion),
    emulationVersion: parseTolerantVersion(spec.emulationVersion ?? ''),
    strategies: preferredStrategies(object),
  };
}
