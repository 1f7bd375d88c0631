import type { LeaseSpec } from '../../apis/coordination/lease/lease.js';
import { OLDEST_EMULATION_VERSION } from '../../apis/coordination/lease-strategy.validation.js';
import type { Candidate } from './candidate.js';
import { microsOf, microTime } from './micro-time.js';
import { pickOldestEmulationVersion } from './pick-candidate.js';
import { pickStrategy } from './pick-strategy.js';

const SECOND = 1_000_000;
/** How long a candidate has to answer a ping, and for how long an answer counts. */
const ANSWER_TIME = 5 * SECOND;
/** How long one that did not answer is a reason to look for a holder, and so to ask all the others. */
const GIVE_UP_TIME = 60 * SECOND;
/** How long a candidate without a renewal stays one. */
export const CANDIDATE_VALID = 30 * 60 * SECOND;
/** The lease's duration until its holder writes its own. */
const LEASE_SECONDS = 5;

/** What an election came to. Without an electee somebody else chooses, by a strategy that is not ours. */
export interface Election {
  readonly strategy: string;
  readonly electee?: string;
}

/** What is to be done about a lease now. `rest`: nothing until something changes; `wait`: look again after a while. */
export type ElectionStep =
  | { readonly kind: 'rest' | 'wait' }
  | { readonly kind: 'ping'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'elect'; readonly election: Election }
  | { readonly kind: 'problem'; readonly problem: string };

/**
 * One step of an election (kubernetes pkg/controlplane/controller/leaderelection, reconcileElectionStep): everything follows from
 * the lease, its candidates and the time, in microseconds; nothing is remembered between steps.
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

/** Whether a candidate counts no longer, and may be deleted. */
export function isCandidateExpired({ renewTime }: Pick<Candidate, 'renewTime'>, now: number): boolean {
  return renewTime === undefined || renewTime + CANDIDATE_VALID < now;
}

/** Whether the holder of a lease has failed to renew it in time. */
export function isLeaseExpired({ renewTime, leaseDurationSeconds }: LeaseSpec, now: number): boolean {
  const renewed = microsOf(renewTime);
  return renewed === undefined || leaseDurationSeconds === undefined || renewed + leaseDurationSeconds * SECOND < now;
}

/** The lease that an election makes where there is none. */
export function newLease({ strategy, electee }: Election, now: number): LeaseSpec {
  const holder = electee === undefined ? {} : { holderIdentity: electee };
  return { ...holder, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime(now), strategy };
}

/**
 * The lease as an election changes it; undefined where it stays as it is. A holder whose time has not run out keeps the lease and
 * is told of a better candidate. An absent holder is the same as ''.
 */
export function changedLease(lease: LeaseSpec, { strategy, electee }: Election, now: number): LeaseSpec | undefined {
  const holder = lease.holderIdentity ?? '';
  const changed = lease.strategy === strategy ? lease : { ...lease, strategy };
  if (electee !== undefined && (holder === '' || (isLeaseExpired(lease, now) && isStuck(lease, electee)))) {
    const { preferredHolder: _preferred, acquireTime: _acquired, ...kept } = changed;
    return { ...kept, holderIdentity: electee, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime(now) };
  }
  if (electee !== undefined && electee !== holder && electee !== lease.preferredHolder) return { ...changed, preferredHolder: electee };
  return changed === lease ? undefined : changed;
}

/**
 * Whether an expired lease needs a new start: for another holder, or for one that was asked to step down for a candidate that is
 * no longer the best. Upstream leaves the latter as it is, and nobody renews it ever again.
 */
function isStuck({ holderIdentity, preferredHolder }: LeaseSpec, electee: string): boolean {
  return holderIdentity !== electee || Boolean(preferredHolder);
}

/** The step if no election is due; undefined if one is. */
function stepBeforeElection(live: readonly Candidate[], lease: LeaseSpec | undefined, now: number): ElectionStep | undefined {
  if (!lease || isLeaseExpired(lease, now) || !lease.holderIdentity) return undefined;
  if (live.some((candidate) => isHalfExpired(candidate, now))) return undefined;
  const choice = pickStrategy(live);
  if ('problem' in choice) return { kind: 'problem', problem: choice.problem };
  if (choice.strategy !== OLDEST_EMULATION_VERSION) return { kind: 'wait' };
  const best = pickOldestEmulationVersion(live.filter((candidate) => mayBeElected(candidate, lease, now)));
  return !best || best.name === lease.holderIdentity ? { kind: 'wait' } : undefined;
}

/** A holder that goes on renewing its lease does not lose it because its candidate does not answer. */
function mayBeElected(candidate: Candidate, { holderIdentity }: LeaseSpec, now: number): boolean {
  return candidate.name === holderIdentity || !isGivenUp(candidate, now);
}

/** Half its time to live is over: it is asked, so that it is not deleted if it is there. */
function isHalfExpired(candidate: Candidate, now: number): boolean {
  const { renewTime = now } = candidate;
  return renewTime + CANDIDATE_VALID / 2 < now && !isGivenUp(candidate, now);
}

/**
 * One that did not answer long ago is no reason for an election, which would pass it over; upstream would ask all the others every few
 * seconds for as long as it counts.
 */
function isGivenUp(candidate: Candidate, now: number): boolean {
  return answerState(candidate, now) === 'silent' && (believablePing(candidate, now) ?? 0) + GIVE_UP_TIME <= now;
}

/** `fresh`: it has just shown itself; `asked`: it may still answer; `stale`: it has to be asked; `silent`: it was, and did not answer. */
type AnswerState = 'fresh' | 'asked' | 'stale' | 'silent';

function answerState(candidate: Candidate, now: number): AnswerState {
  const { renewTime = 0 } = candidate;
  const pingTime = believablePing(candidate, now);
  const answered = pingTime === undefined || renewTime >= pingTime;
  if (!answered && pingTime + ANSWER_TIME > now) return 'asked';
  if (renewTime + ANSWER_TIME > now) return 'fresh';
  return answered ? 'stale' : 'silent';
}

/** A ping from further ahead than a candidate lives is none of ours; upstream would wait for it. */
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
  if (!best) return { kind: 'problem', problem: 'no candidate has versions that can be read' };
  return { kind: 'elect', election: { strategy, electee: best.name } };
}
